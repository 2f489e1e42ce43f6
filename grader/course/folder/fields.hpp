/// The keys of course.yaml: each once, with its value, limits and documentation.
///
/// course_config.cpp reads by these functions. A test holds configs/course.schema.json to them;
/// UPDATE_GOLDEN=1 writes it anew.
///
/// The functions of a visitor, in addition to those of grader/task/config/fields.hpp:
///     form(key, value, form, doc)            A text of that form.
///     required_form(key, value, form, doc)
///     deadline(key, value, form, doc)        A time of the course's clock; required.
///     opening(key, value, form, doc)         The same, not required.
///     deadlines(key, value, form, doc)       One for each name.
///     short_form(key, record, text, doc)     The record, or a text for its main key.
///     price(key, rule, price, doc, range)    One of these is required.
#pragma once

#include <array>

#include "grader/course/folder/course_config.hpp"
#include "grader/task/config/fields.hpp"

namespace opgrade::course {

bool matches(const std::string& text, const char* pattern);

/// The syntax of a key's text.
template <class T>
struct Form {
  const char* pattern;  ///< a regular expression, for editors too; empty: any
  const char* must_be;  ///< used in problems: "'name' must be ..."
  bool (*read)(const std::string& text, T& value) = nullptr;  ///< nullptr: the value is the text
  /// Editors accept a whole number from this one on without quotes; -1: none.
  double number_from = -1;

  /// Reads the value. Returns false for a text of another form.
  bool reads(const std::string& text, T& value) const {
    if constexpr (std::is_assignable_v<T&, const std::string&>) value = text;
    if (*pattern != '\0' && !matches(text, pattern)) return false;
    return read == nullptr || read(text, value);
  }
};

/// What the file holds: the course, and default settings, which those of an assignment replace.
struct CourseFile {
  Course course;
  Assignment defaults;
};

bool read_keep(const std::string& text, std::chrono::months& keep);
bool read_zone(const std::string& text, std::optional<TimeZone>& zone);
bool read_span(const std::string& text, std::chrono::seconds& span);
bool read_task_time(const std::string& text, std::chrono::seconds& time);
bool read_counting(const std::string& text, Counting& counts);
bool read_deadline(const std::string& text, std::optional<WallTime>& time);

inline constexpr std::array<std::string_view, 2> kExecutorNames{"local", "slurm"};
inline constexpr std::array<std::string_view, 2> kReleaseNames{"held", "released"};
inline constexpr std::array<std::string_view, 2> kPracticeDeviceNames{"emulated", "cuda"};
inline constexpr const char* kSpanPattern = "[0-9]{1,6} ?(s|min|h|d)";

inline constexpr Form<std::string> kName{"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}",
                                         "letters, digits, '-' and '_'"};
inline constexpr Form<std::string> kCanvasId{
    "[0-9]*", "the number at the end of the assignment's address in Canvas", nullptr, 1};
inline constexpr Form<std::string> kGpus{"", "text", nullptr, 0};
inline constexpr Form<std::optional<TimeZone>> kZone{
    "", "an IANA name such as America/Chicago or Europe/Berlin", read_zone};
inline constexpr Form<std::chrono::seconds> kSpan{
    kSpanPattern, "a time with its unit (30 s, 10 min, 1 h)", read_span};
inline constexpr Form<std::chrono::seconds> kTaskTime{
    kSpanPattern, "a time with its unit (30 min, 2 h)", read_task_time};
inline constexpr Form<std::chrono::months> kKeep{"[0-9]{1,3} (month|year)s?",
                                                 "a time such as 2 years or 18 months", read_keep};
inline constexpr Form<Counting> kCounting{"last|best|median of [3579]",
                                          "last, best or 'median of n' with n = 3, 5, 7 or 9",
                                          read_counting};
inline constexpr Form<std::filesystem::path> kAbsolute{"(/.*)?",
                                                       "a path from / that all nodes see"};
inline constexpr const char* kHourPattern = "[0-9]{1,2}(:[0-9]{2})?-[0-9]{1,2}(:[0-9]{2})?";
inline constexpr Form<std::optional<GpuHours>> kGpuHours{
    kHourPattern, "two different times of the course's clock, such as 18-08 or 18:30-08:00",
    read_gpu_hours};
/// Stands in the place of a date in a course.yaml that staff have to complete.
inline constexpr std::string_view kDateToFillIn = "YYYY-MM-DD";
inline constexpr Form<std::optional<WallTime>> kDeadline{
    "[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}(:[0-9]{2})?",
    "a date and a time of the course's clock, such as 2026-10-12 23:59 or 2026-10-12 24:00",
    read_deadline};

inline constexpr Form<std::string> kDocument{
    "[A-Za-z0-9_][A-Za-z0-9._-]{0,99}\\.(pdf|md|png|jpg)",
    "the name of a .pdf, .md, .png or .jpg file without a folder"};
/// The limit for documents, which is that of uploads.
inline constexpr std::int64_t kLargestDocument = 16 << 20;

void fields(auto& io, Is<SlurmSettings> auto& s) {
  io.form("shared", s.shared, kAbsolute, "a folder that this machine and all nodes see");
  io("partition", s.partition, "sbatch --partition");
  io("account", s.account, "sbatch --account");
  io("qos", s.qos, "sbatch --qos");
  io("constraint", s.constraint, "sbatch --constraint");
  io.form("gpus", s.gpus, kGpus, "sbatch --gpus-per-node: 1, a40:1");
  io("exclusive", s.exclusive, "sbatch --exclusive: the whole node");
  io.form("time", s.time, kTaskTime, "of one task, thus of `batch` submissions");
  io("memory", s.memory_bytes, "of one task");
  io("cpus", s.cpus, "of one task", Range{1, 4096});
  io("at_once", s.at_once, "running tasks of an array", Range{1, 1000});
  io("batch", s.batch, "submissions that one task grades; 8 unless given", Range{1, 1000});
  io("retries", s.retries, "after a failed node, a preemption or a failed boot; 2 unless given",
     Range{0, 100});
  io("poll", s.poll, "between two questions to Slurm");
}

void fields(auto& io, Is<LateRule> auto& l) {
  using Price = LateRule::Price;
  io.required("days", l.days, "late days accepted", Range{0, 365});
  io.price("percent_a_day", l, Price::percent_of_earned, "percent of the earned points",
           Range{0, 100});
  io.price("percent_of_maximum_a_day", l, Price::percent_of_maximum, "percent of all points",
           Range{0, 100});
  io.price("points_a_day", l, Price::points, "points", Range{0, 1e6});
}

void fields(auto& io, Is<Practice> auto& p) {
  io.required("config", p.config, "of practice runs, as `config` of the assignment");
  io.word("device", p.on_devices, kPracticeDeviceNames,
          "cuda: GPU stages run where hand-ins run; emulated unless given");
  io("a_day", p.a_day, "practice runs of a student and day; 20 unless given", Range{1, 10'000});
  io.form("gpu_time", p.gpu_time, kTaskTime,
          "longest time of a run with `device: cuda`, all its parts together; 2 min unless given");
  io("tools", p.tools,
     "that students may use in a practice run: profile, sanitizer, ncu, nsys; none unless given");
  io.form("tool_time", p.tool_time, kTaskTime,
          "longest run of the tool alone, after the cases of a stage; 60 s unless given");
  io("tool_file", p.tool_file_bytes, "largest file of a tool that is kept; 32 MiB unless given");
  io("keep_days", p.keep_days, "days for which files of tools are kept; 14 unless given",
     Range{1, 3660});
}

void fields(auto& io, Is<ReportRules> auto& r) {
  io.required_form("file", r.file, kDocument,
                   "the document's name, in the archive of the code or handed in apart");
  io("required", r.required, "the code is not taken in without it, unless it came before");
  io.required("rubric", r.rubric, "by which graders mark it: a path from the course folder");
  io.opening("deadline", r.deadline, kDeadline,
             "of the document; that of the assignment unless given");
  io("late", r.late, "of the document; that of the assignment unless given");
  io("largest", r.largest, "bytes of the document; 16 MiB unless given");
  io("blind", r.blind, "the pages for marking show no names");
}

void fields(auto& io, Is<Assignment> auto& a) {
  io.required_form("name", a.name, kName, "unique; in commands and paths");
  io("title", a.title, "long name; the name unless given");
  io.required(
      "config", a.config,
      "one of opgrade's own names, or a path from the course folder: of a file, or of a task's "
      "folder");
  io.deadline("deadline", a.deadline, kDeadline,
              "time of the clock in `time_zone`; 24:00 is the end of the day");
  io.deadlines("section_deadlines", a.section_deadlines, kDeadline,
               "by section of the roster, where it is another than `deadline`");
  io.opening("opens", a.opens, kDeadline, "the service takes nothing before it");
  io.word("grades", a.released, kReleaseNames,
          "held: students see no grade, report or ranking; released unless given");
  io.form("grace", a.grace, kSpan, "extends the deadline and the end of each late day");
  io("late", a.late, "`days` and one price; without it nothing late is accepted");
  io("attempts_a_day", a.attempts_a_day,
     "submissions graded per student and calendar day; 0: any number", Range{0, 10'000});
  io.form("counts", a.counts, kCounting,
          "last, best or `median of 3` gradings of the last submission");
  io.short_form("practice", a.practice, a.practice.config,
                "practice runs, which never count: their config, as `config`, or a mapping; none "
                "unless given");
  io("practice_a_day", a.practice.a_day, "`a_day` of `practice`", Range{1, 10'000});
  io("teams", a.teams, "one submission counts for all students of a team");
  io("report", a.report, "a document that graders mark; none unless given");
  io.form("canvas_id", a.canvas_id, kCanvasId,
          "number of the assignment in Canvas, for its gradebook");
  io.word("executor", a.on_slurm, kExecutorNames, "of this assignment");
  io("slurm", a.slurm, "of this assignment, over the course's");
}

void fields(auto& io, Is<GpuSettings> auto& g) {
  io.required_form("hours", g.hours, kGpuHours,
                   "gradings on this machine's GPUs begin only in these hours of the clock in "
                   "`time_zone`: 18-08 ends the next morning");
}

void fields(auto& io, Is<CourseFile> auto& f) {
  int version = 1;
  io.required("opgrade_course", version, "version of this format: 1", Range{1, 1});
  io.required("title", f.course.title, "name of the course");
  io.required_form("time_zone", f.course.zone, kZone,
                   "IANA name, such as America/Chicago; deadlines are times of this clock");
  io("slip_days", f.course.slip_days,
     "late days of a student over all assignments that cost nothing and need no `late`",
     Range{0, 365});
  io.form("keep", f.course.keep, kKeep,
          "after the last deadline; then `course check` and staff's pages ask for the deletion");
  io.word("executor", f.defaults.on_slurm, kExecutorNames, "of all assignments that name no other");
  io("slurm", f.defaults.slurm, "of all assignments; an assignment's own keys replace these");
  io("gpu", f.course.gpu, "`hours`, where others use the GPUs too; without it always");
  io.required("assignments", f.course.assignments, "the assignments and their rules");
}

constexpr const char* item_name(const Assignment&) { return "an assignment"; }

}  // namespace opgrade::course
