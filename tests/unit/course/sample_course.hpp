/// A small course on disk, and a grader that knows its points without building anything.
#pragma once

#include <fstream>
#include <string>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/course/store/store.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::course::test {

inline void write_text(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

inline Moment utc(const std::string& text) { return parse_moment(text).value(); }

/// Assignments m1 (the last counts, three late days of 10 %), m2 (the best), m3 (median of 3) and
/// m4 (by team, one graded a day), all due 2026-10-12 12:00 UTC. Students ada and bob of the team
/// red, and eve with an extension of one day.
inline CourseFolder make_course(const std::filesystem::path& folder) {
  std::string course = "opgrade_course: 1\ntitle: T\ntime_zone: UTC\nassignments:\n";
  for (const auto& [name, rules] : {std::pair{"m1", "late: {percent_a_day: 10, days: 3}"},
                                    {"m2", "{counts: best, late: {points_a_day: 30, days: 2}}"},
                                    {"m3", "counts: median of 3"},
                                    {"m4", "{teams: true, attempts_a_day: 1}"}}) {
    std::string keys = rules;
    if (keys.starts_with('{')) keys = keys.substr(1, keys.size() - 2);
    course += std::string("  - {name: ") + name +
              ", config: self-check, deadline: 2026-10-12 12:00, " + keys + "}\n";
  }
  write_text(folder / kCourseFile, course);
  write_text(folder / kRosterFile,
             "id,login,name,email,section,team,extension,canvas_id\n"
             "1,ada,Ada Lovelace,ada@x.edu,A,red,,901\n2,bob,Bob Bell,bob@x.edu,A,red,,902\n"
             "3,eve,Eve Stone,eve@x.edu,B,,*=1 d,903\n");
  return open_course_folder(folder);
}

/// A submission whose file holds `text`, in the store.
inline Submission hand_in(const CourseFolder& folder, Store& store, const std::string& assignment,
                          const std::string& owner, const std::string& time,
                          const std::string& text) {
  Submission s;
  s.assignment = assignment;
  s.owner = owner;
  s.sha256 = sha256_of_text(text);
  s.file = std::string(kSubmissions) + "/" + assignment + "/" + owner + "/" +
           std::to_string(utc(time).time_since_epoch().count()) + ".zip";
  s.handed_in = utc(time);
  s.source = "a test";
  s.added = utc("2026-10-13T00:00:00Z");
  s.added_by = "staff";
  write_text(folder.path / s.file, text);
  EXPECT_TRUE(store.add(s));
  return s;
}

/// Of 100, with 3 timed calls.
inline Grade grade_of(double points, const std::string& config = std::string(64, 'c'),
                      const std::string& version = "1.0+abc") {
  Grade grade = opgrade::test::full_grade();
  grade.config_sha256 = config;
  grade.machine.opgrade_version = version;
  grade.outcome = Outcome::passed;
  grade.points = points;
  grade.max_points = 100;
  grade.open_points = 0;
  for (auto& stage : grade.stages)
    for (auto& c : stage.cases)
      for (auto& item : c.points) item.open = false;
  return grade;
}

/// Gives the number that the submission's file holds.
inline Grade grade_by_content(const std::filesystem::path& file, const std::string& name,
                              GradedAt = GradedAt::hand_in) {
  Grade grade = grade_of(std::stod(text_of_file(file)));
  grade.submission = name;
  return grade;
}

/// The rules of grade_of()'s gradings.
inline Rules wanted_grading(const std::string& config = std::string(64, 'c')) {
  return {config, "1.0+abc"};
}

/// The attempt of a result, written and collected as a grading's. Throws Error where it has one.
inline Attempt publish(Store& store, const std::filesystem::path& folder, const Submission& s,
                       const Grade& grade, int number) {
  const GradingJob job =
      job_for(folder, s, grade.config_sha256, grade.machine.opgrade_version, number);
  if (!write_new_file(job.result, report_json(grade)))
    throw Error(job.result.string() + " has a result already");
  collect(store, folder, s, job);
  return store.attempts(s.id).back();
}

}  // namespace opgrade::course::test
