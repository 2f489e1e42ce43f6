/// course.yaml: the assignments of a course and their rules.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/files/yaml_reader.hpp"
#include "grader/course/folder/late_rule.hpp"
#include "grader/course/folder/time_zone.hpp"
#include "grader/course/slurm/slurm.hpp"
#include "grader/grading/profile/device_tool.hpp"

namespace opgrade::course {

/// Which of a student's submissions gives the points.
struct Counting {
  enum class Which { last, best, median };
  Which which = Which::last;
  int of = 1;  ///< median: the last submission is graded this often, an odd number
};

/// Practice runs of an assignment, which never count.
struct Practice {
  std::string config;  ///< of the practice runs; empty: there are none
  /// GPU stages run as those of hand-ins do; false: on the emulated device.
  bool on_devices = false;
  int a_day = 20;                      ///< the most practice runs of an owner on one day
  std::chrono::seconds gpu_time{120};  ///< limit for a run `on_devices`, over all its parts
  std::vector<std::string> tools;      ///< tools of device_tool_names() that students may use
  std::int64_t tool_file_bytes = kToolFileBytes;  ///< a larger file of a tool is not kept
  /// Limit for a tool that runs alone after the cases of a stage.
  std::chrono::seconds tool_time = kToolTime;
  int keep_days = 14;  ///< days for which files of tools are kept
};

/// A document that an assignment wants in addition to the code. Graders mark it by a rubric.
struct ReportRules {
  std::string file;  ///< the document's name, such as report.pdf; empty: the assignment wants none
  bool required = false;            ///< the code is refused until there is a document
  std::string rubric;               ///< the rubric's file, as a path from the course folder
  std::optional<Moment> deadline;   ///< nullopt: that of the assignment
  std::optional<LateRule> late;     ///< nullopt: that of the assignment
  std::int64_t largest = 16 << 20;  ///< bytes
  bool blind = false;               ///< graders see no names
};

struct Assignment {
  std::string name;  ///< used in commands and paths: letters, digits, '-', '_'
  std::string title;
  std::string config;  ///< the name of one of opgrade's own, or a path
  Moment deadline;
  std::map<std::string, Moment> section_deadlines;
  std::optional<Moment> opens;  ///< before this moment nothing is taken in
  bool released = true;         ///< false: students see nothing of their grades
  std::chrono::seconds grace{0};
  LateRule late;
  int attempts_a_day = 0;  ///< graded submissions a calendar day; 0: any number
  Counting counts;
  bool teams = false;     ///< one submission counts for all members of a team
  std::string canvas_id;  ///< the assignment's id in Canvas, for the gradebook's column
  Practice practice;
  ReportRules report;
  bool is_practice = false;  ///< it is one of Course::practice and never counts
  /// If it is one of Course::reports: the assignment that its documents are for.
  std::string report_of{};
  bool on_slurm = false;  ///< the executor is slurm, not local
  SlurmSettings slurm;
};

/// "practice.m1" is the practice for m1: no other name has a point.
inline constexpr std::string_view kPractice = "practice.";

/// "report.m1" has the documents that were handed in for m1: no other name has a point.
inline constexpr std::string_view kDocuments = "report.";

/// Rules for the GPUs of this machine, if others use them too.
struct GpuSettings {
  std::optional<GpuHours> hours;  ///< nullopt: gradings may use them at any time
};

struct Course {
  std::string title;
  int slip_days = 0;            ///< late days of a term that cost nothing
  std::chrono::months keep{0};  ///< how long the data are kept after the last deadline; 0: no limit
  std::optional<TimeZone> zone;  ///< always set if there are no problems
  GpuSettings gpu;
  std::vector<Assignment> assignments;
  std::vector<Assignment> practice;  ///< the practice runs of the assignments that have some
  std::vector<Assignment> reports;   ///< the documents of the assignments that want one

  /// Finds an assignment, a practice or the documents of one by this name; else nullptr.
  const Assignment* find(const std::string& name) const;
  /// The documents for an assignment; nullptr if the assignment wants none.
  const Assignment* report_for(const Assignment& assignment) const;
  /// When GPU gradings may begin again; nullopt while they may begin.
  std::optional<Moment> gpu_closed_until(Moment now) const {
    return gpu.hours ? closed_until(*gpu.hours, *zone, now) : std::nullopt;
  }
  /// When the data of the course are to be deleted.
  std::optional<Moment> delete_at() const;
};

struct LoadedCourse {
  Course course;
  /// All that the file has; the course is usable only if there are none.
  std::vector<ConfigProblem> problems;
};

/// Never throws for the content of the file. A file that cannot be read is one of the problems. If
/// a config is a path, it is relative to the course folder.
LoadedCourse load_course(const std::filesystem::path& file);
LoadedCourse parse_course(const std::string& text, const std::string& file_name);

}  // namespace opgrade::course
