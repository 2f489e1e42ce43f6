#include "grader/course/folder/course_config.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "grader/base/core/error.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/folder/fields.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/key_schema.hpp"

namespace opgrade::course {
namespace {

using testing::HasSubstr;

/// A course whose one assignment has `keys` beside its name and config.
std::string with(const std::string& keys, const std::string& zone = "America/Chicago") {
  return "opgrade_course: 1\ntitle: T\ntime_zone: " + zone +
         "\nassignments:\n  - name: m1\n    config: self-check\n" + keys;
}

std::string problems_of(const std::string& text) {
  return to_text(parse_course(text, "course.yaml").problems);
}

TEST(CourseConfig, ReadsEveryKey) {
  const auto [course, problems] =
      parse_course(with("    title: One\n    deadline: 2026-10-12 23:59\n    grace: 10 min\n"
                        "    late: {points_a_day: 5, days: 3}\n    attempts_a_day: 4\n"
                        "    counts: median of 3\n    teams: true\n    canvas_id: 4711\n"),
                   "course.yaml");
  ASSERT_EQ(to_text(problems), "");
  ASSERT_EQ(course.assignments.size(), 1u);
  const Assignment& a = course.assignments[0];
  EXPECT_EQ(a.title, "One");
  EXPECT_EQ(iso_text(a.deadline), "2026-10-13T04:59:00Z");
  EXPECT_EQ(a.grace, std::chrono::minutes(10));
  EXPECT_EQ(a.late.price, LateRule::Price::points);
  EXPECT_EQ(a.late.a_day, 5);
  EXPECT_EQ(a.late.days, 3);
  EXPECT_EQ(a.attempts_a_day, 4);
  EXPECT_EQ(a.counts.which, Counting::Which::median);
  EXPECT_EQ(a.counts.of, 3);
  EXPECT_TRUE(a.teams);
  EXPECT_EQ(a.canvas_id, "4711");
  EXPECT_NE(course.find("m1"), nullptr);
  EXPECT_EQ(course.find("m2"), nullptr);
}

TEST(CourseConfig, PracticeHasAShortFormAndALongOne) {
  const auto practice_of = [](const std::string& keys) {
    const auto [course, problems] =
        parse_course(with("    deadline: 2026-10-12 23:59\n" + keys), "course.yaml");
    EXPECT_EQ(to_text(problems), "");
    EXPECT_EQ(course.practice.size(), 1u);
    return course.practice.at(0);
  };
  const Assignment brief = practice_of("    practice: minidnn\n    practice_a_day: 3\n");
  EXPECT_EQ(brief.config, "minidnn");
  EXPECT_EQ(brief.attempts_a_day, 3);
  EXPECT_FALSE(brief.practice.on_devices);
  const Assignment whole = practice_of(
      "    practice: {config: minidnn, device: cuda, a_day: 4, gpu_time: 90 s, tools: "
      "[profile]}\n");
  EXPECT_EQ(whole.config, "minidnn");
  EXPECT_EQ(whole.attempts_a_day, 4);
  EXPECT_TRUE(whole.practice.on_devices);
  EXPECT_EQ(whole.practice.gpu_time, std::chrono::seconds(90));
  EXPECT_EQ(whole.practice.tools, std::vector<std::string>{"profile"});
  EXPECT_EQ(whole.practice.tool_time, std::chrono::seconds(60));
  EXPECT_TRUE(whole.is_practice);
  const Assignment on_nodes = practice_of(
      "    executor: slurm\n    slurm: {shared: /tmp}\n    practice: {config: minidnn, device: "
      "cuda, tools: [profile, ncu], tool_time: 90 s}\n");
  EXPECT_TRUE(on_nodes.on_slurm) << "tools run on nodes as well";
  EXPECT_EQ(on_nodes.practice.tool_time, std::chrono::seconds(90));
}

TEST(CourseConfig, AMistakeInPracticeIsNamed) {
  const auto problems = [](const std::string& keys) {
    return problems_of(with("    deadline: 2026-10-12 23:59\n" + keys));
  };
  EXPECT_THAT(problems("    practice: {device: cuda}\n"), HasSubstr("config"));
  EXPECT_THAT(problems("    practice: {config: minidnn, device: gpu}\n"),
              HasSubstr("'device' must be emulated or cuda, not 'gpu'"));
  EXPECT_THAT(problems("    practice: {config: minidnn, tools: [gdb]}\n"),
              HasSubstr("'tools' must be of profile, sanitizer, ncu or nsys, not 'gdb'"));
  EXPECT_THAT(problems("    practice: {config: minidnn, tool_file: 1 GiB}\n"),
              HasSubstr("'tool_file' must be at most 256 MiB"));
  EXPECT_THAT(problems("    practice: {config: minidnn, keep_days: 0}\n"), HasSubstr("keep_days"));
  EXPECT_THAT(problems("    practice: {config: minidnn, a_day: 2}\n    practice_a_day: 3\n"),
              HasSubstr("keep one"));
  EXPECT_THAT(problems("    practice: {config: minidnn, tool_time: 60}\n"),
              HasSubstr("'tool_time' must be a time with its unit"));
  EXPECT_THAT(problems("    practice: {config: minidnn, gpu_time: 0 s}\n"),
              HasSubstr("'gpu_time' must be a time with its unit"));
}

TEST(CourseConfig, DatesToFillInAreOneComplaint) {
  const std::string more =
      "    deadline: YYYY-MM-DD 23:59\n  - {name: m2, config: self-check, deadline: YYYY-MM-DD}\n"
      "  - {name: m3, config: self-check, deadline: 2026-10-12 23:59}\n";
  EXPECT_EQ(
      problems_of(with(more)),
      "course.yaml:7:15: the deadline has YYYY-MM-DD in the place of a date: fill in those of m1, "
      "m2\n");
}

TEST(CourseConfig, AReportIsDueAtTheSameTimeOfDayInEachSection) {
  const auto [course, problems] = parse_course(
      with("    deadline: 2026-10-29 23:59\n    section_deadlines: {B: 2026-10-31 23:59}\n"
           "    report: {file: r.md, rubric: r.yaml, deadline: 2026-10-30 23:59}\n"),
      "course.yaml");
  ASSERT_EQ(to_text(problems), "");
  const Assignment& report = course.reports.at(0);
  EXPECT_EQ(course.zone->text(report.deadline), "Fri 2026-10-30 23:59:00 CDT");
  EXPECT_EQ(course.zone->text(report.section_deadlines.at("B")), "Sun 2026-11-01 23:59:00 CST")
      << "the clocks go back that day";
}

TEST(CourseConfig, ReadsWhatATermNeeds) {
  const auto [course, problems] = parse_course(
      "slip_days: 4\nkeep: 2 years\n" +
          with("    deadline: 2026-10-12 23:59\n    opens: 2026-10-01 08:00\n    grades: held\n"
               "    section_deadlines: {B: 2026-10-14 24:00}\n"),
      "course.yaml");
  ASSERT_EQ(to_text(problems), "");
  const Assignment& a = course.assignments.at(0);
  EXPECT_EQ(course.slip_days, 4);
  EXPECT_EQ(iso_text(*a.opens), "2026-10-01T13:00:00Z");
  EXPECT_EQ(iso_text(a.section_deadlines.at("B")), "2026-10-15T05:00:00Z");
  EXPECT_FALSE(a.released);
  EXPECT_EQ(iso_text(course.delete_at().value()), "2028-10-15T05:00:00Z")
      << "two years after the last deadline, of section B";
  EXPECT_TRUE(parse_course(with("    deadline: 2026-10-12 23:59\n"), "c")
                  .course.assignments.at(0)
                  .released);
}

TEST(CourseConfig, EveryProblemHasItsLineAndSaysWhatToDo) {
  const std::pair<const char*, const char*> kRows[] = {
      {"    deadline: 2026-10-12\n", "course.yaml:7:15: 'deadline' must be a date and a time"},
      {"    deadline: 2026-03-08 02:30\n",
       "course.yaml:7:15: the clocks of America/Chicago skip 2026-03-08 02:30"},
      {"    deadlin: 2026-10-12 23:59\n",
       "course.yaml:7:5: unknown key 'deadlin' in an assignment; "
       "did you mean 'deadline'?"},
      {"    deadline: 2026-10-12 23:59\n    grace: 10\n",
       "course.yaml:8:12: 'grace' must be a time with its unit"},
      {"    deadline: 2026-10-12 23:59\n    late: {days: 2}\n",
       "course.yaml:8:11: 'late' needs one of percent_a_day"},
      {"    deadline: 2026-10-12 23:59\n    late: {percent_a_day: 200, days: 2}\n",
       "course.yaml:8:27: 'percent_a_day' is 200, but must be from 0 to 100"},
      {"    deadline: 2026-10-12 23:59\n    counts: median of 2\n",
       "course.yaml:8:13: 'counts' must be last, best or 'median of n'"},
      {"    deadline: 2026-10-12 23:59\n    section_deadlines: {A: soon}\n",
       "course.yaml:8:28: 'section_deadlines' must be a date and a time"},
      {"    deadline: 2026-10-12 23:59\n    opens: 2026-03-08 02:30\n",
       "course.yaml:8:12: the clocks of America/Chicago skip"},
      {"    deadline: 2026-10-12 23:59\nkeep: for ever\n",
       "course.yaml:8:7: 'keep' must be a time such as 2 years"},
      {"    deadline: 2026-10-12 23:59\ngpu: {hours: 18-18}\n",
       "course.yaml:8:14: 'hours' must be two different times of the course's clock, such as 18-08 "
       "or 18:30-08:00, not '18-18'"},
      {"    deadline: 2026-10-12 23:59\ngpu: {}\n", "course.yaml:8:6: 'gpu' needs the key 'hours'"},
      {"    deadline: 2026-10-12 23:59\n    canvas_id: m1\n", "course.yaml:8:16: 'canvas_id' must"},
      {"", "course.yaml:5:5: an assignment needs the key 'deadline'"},
  };
  for (const auto& [keys, expected] : kRows)
    EXPECT_THAT(problems_of(with(keys)), HasSubstr(expected));
  for (const char* zone : {"Chicago", "''", "[]"}) {
    EXPECT_THAT(problems_of(with("    deadline: 2026-10-12 23:59\n", zone)),
                HasSubstr("course.yaml:3:12: 'time_zone' must be "));
  }
  EXPECT_THAT(problems_of(with("    deadline: 2026-10-12 23:59\n  - name: ''\n")),
              HasSubstr("course.yaml:8:11: 'name' must be letters"));
  EXPECT_THAT(problems_of(with("    deadline: 2026-10-12 23:59\n  - name: m1\n    config: x\n"
                               "    deadline: 2026-10-12 23:59\n")),
              HasSubstr("course.yaml:8:11: two assignments are named 'm1'"));
  EXPECT_THAT(problems_of("opgrade_course: 2\n"), HasSubstr("'opgrade_course' is 2"));
  EXPECT_THAT(problems_of("a: [\n"), HasSubstr("course.yaml:1:4: this '[' is not closed"));
}

TEST(CourseSchema, IsThatOfTheFields) {
  auto rule = opgrade::test::KeySchema<>::entry(CourseFile{});
  rule["properties"]["assignments"]["minItems"] = 1;
  opgrade::test::expect_golden(
      OPGRADE_SOURCE_DIR "/configs/course.schema.json",
      opgrade::test::key_schema(
          "opgrade-course-1", "The course.yaml of opgrade, version 1",
          "For completion in editors; `opgrade course check DIR` reports every problem. "
          "`opgrade course init` writes an example with comments.",
          rule));
}

TEST(CourseFolderTest, TheExamplePassesItsOwnCheck) {
  const TempDir place("opgrade-test-");
  const auto folder = place.path() / "course";
  make_course_folder(folder);
  const CourseFolder opened = open_course_folder(folder);
  EXPECT_EQ(opened.course.assignments.size(), 2u);
  EXPECT_EQ(opened.roster.students.size(), 3u);
  for (const auto& a : opened.course.assignments) EXPECT_GT(a.deadline, this_second()) << a.name;
  EXPECT_THROW(make_course_folder(folder), UsageError) << "nothing is overwritten";
}

TEST(CourseFolderTest, SaysThatAFolderIsNoCourse) {
  const TempDir place("opgrade-test-");
  try {
    open_course_folder(place.path());
    FAIL();
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("it has no course.yaml"));
    EXPECT_THAT(e.hint, HasSubstr("opgrade course init"));
  }
}

}  // namespace
}  // namespace opgrade::course
