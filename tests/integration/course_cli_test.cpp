// opgrade course: the mistakes of staff, told by the command that makes them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class CourseCli : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(test::exit_code(course({"init", "gpu"})), 0); }

  ProcessReport course(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "course");
    return place.run(arguments);
  }
  /// Replaces text of course.yaml.
  void edit(const std::string& from, const std::string& to) const {
    const auto file = place.path() / "gpu/course.yaml";
    std::ifstream in(file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const auto at = text.find(from);
    ASSERT_NE(at, text.npos);
    std::ofstream(file) << text.replace(at, from.size(), to);
  }

  test::Workplace place;
};

TEST_F(CourseCli, AFreshTermHasOneComplaintThatListsWhatToFillIn) {
  ASSERT_EQ(test::exit_code(course({"init", "term", "--term", "2026sp"})), 0);
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"course", "check", "term"}, {"serve", "term"}}) {
    const auto checked = place.run(command);
    EXPECT_EQ(test::exit_code(checked), 2);
    EXPECT_THAT(checked.standard_error,
                AllOf(HasSubstr("fill in those of lab1, lab2, "), HasSubstr(", m1, m2, m3\n")));
    EXPECT_EQ(std::ranges::count(checked.standard_error, '\n'), 2) << "with the next action";
  }
  const auto text_of = [&](const char* name) {
    std::ifstream in(place.path() / "term" / name);
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  EXPECT_THAT(text_of("course.yaml"),
              AllOf(HasSubstr("#   config     what is graded"), HasSubstr("#   late: {percent")));
  EXPECT_THAT(text_of("roster.csv"), Not(HasSubstr("m1=")));
}

TEST_F(CourseCli, CheckReadsTheConfigsToo) {
  const auto checked = course({"check", "gpu"});
  EXPECT_EQ(test::exit_code(checked), 0);
  EXPECT_THAT(checked.standard_output,
              HasSubstr("graded by self-check: 200 points, 200 to pass\n"));
  edit("config: self-check ", "config: selfcheck ");
  const auto named = course({"check", "gpu"});
  EXPECT_EQ(test::exit_code(named), 2);
  EXPECT_THAT(named.standard_error,
              HasSubstr("gpu/course.yaml: m1: there is no file 'selfcheck', nor has opgrade a "
                        "config of that name; did you mean 'self-check'?"));
  std::ofstream(place.path() / "gpu/own.yaml") << "extends: self-check\nnames: own\n";
  edit("config: selfcheck ", "config: own.yaml ");
  const auto read = course({"check", "gpu"});
  EXPECT_EQ(test::exit_code(read), 2);
  EXPECT_THAT(read.standard_error,
              AllOf(HasSubstr("own.yaml:2:1: unknown key 'names'"),
                    HasSubstr("gpu/course.yaml: m1: the config gpu/own.yaml has problems")));
}

TEST_F(CourseCli, PointsAboveTheMaximumAreConfirmedAndNoted) {
  std::vector<std::string> set{"set", "gpu", "ada", "m1", "--points", "201", "--reason", "a bonus"};
  const auto refused = course(set);
  EXPECT_EQ(test::exit_code(refused), 2);
  EXPECT_THAT(refused.standard_error, HasSubstr("201 points are more than the maximum of 200"));
  set.emplace_back("--yes");
  const auto sure = course(set);
  EXPECT_EQ(test::exit_code(sure), 0);
  EXPECT_THAT(sure.standard_error, HasSubstr("note: 201 is above the maximum of 200"));
  const auto usual = course({"set", "gpu", "ada", "m1", "--points", "200", "--reason", "typo"});
  EXPECT_EQ(test::exit_code(usual), 0);
  EXPECT_EQ(usual.standard_error, "");
}

TEST_F(CourseCli, AbsurdPointsNeedAYesAndEachChangeIsInTheAuditLog) {
  const std::vector<std::string> set{"set",      "gpu",        "ada",      "m1",
                                     "--points", "1000000000", "--reason", "typo"};
  const auto refused = course(set);
  EXPECT_EQ(test::exit_code(refused), 2);
  EXPECT_THAT(refused.standard_error, AllOf(HasSubstr("more than the maximum of 200"),
                                            HasSubstr("add --yes if it is meant")));
  EXPECT_EQ(test::exit_code(course({"set", "gpu", "ada", "m1", "--points", "90", "--reason",
                                    "a look at it", "--by", "sam"})),
            0);
  auto sure = set;
  sure.emplace_back("--yes");
  EXPECT_EQ(test::exit_code(course(sure)), 0);
  std::ifstream file(place.path() / "gpu/course.db-wal", std::ios::binary);
  std::string stored{std::istreambuf_iterator<char>(file), {}};
  std::ifstream database(place.path() / "gpu/course.db", std::ios::binary);
  stored.append(std::istreambuf_iterator<char>(database), {});
  EXPECT_THAT(stored, HasSubstr("samthis machineset pointsada m1 90: a look at it"))
      << "a row of the table audit";
}

TEST_F(CourseCli, OnlyASubmissionOfTheStudentIsChosen) {
  const auto choose = [&](const char* submission) {
    return course({"set", "gpu", "ada", "m1", "--submission", submission, "--reason", "x"});
  };
  const auto refused = choose("99");
  EXPECT_EQ(test::exit_code(refused), 2);
  EXPECT_THAT(refused.standard_error, AllOf(HasSubstr("submission 99 is none of ada for m1"),
                                            HasSubstr("opgrade course why")));
  EXPECT_EQ(test::exit_code(choose("0")), 0) << "by the rule, as before";
  EXPECT_EQ(test::exit_code(course({"set", "gpu", "ada", "m1", "--submission", "1", "--points", "5",
                                    "--reason", "x"})),
            2);
}

TEST_F(CourseCli, AFolderThatOthersMayEnterIsToldOf) {
  EXPECT_EQ(fs::status(place.path() / "gpu").permissions(), fs::perms::owner_all);
  EXPECT_THAT(course({"check", "gpu"}).standard_output, testing::Not(HasSubstr("WARNING")));
  fs::permissions(place.path() / "gpu", fs::perms::others_exec, fs::perm_options::add);
  EXPECT_THAT(course({"check", "gpu"}).standard_output,
              HasSubstr("WARNING: gpu is open to other users"));
}

TEST_F(CourseCli, AFolderThatIsNoCourseIsTheCallersMistake) {
  for (const auto& line :
       {std::vector<std::string>{"serve", "none"}, {"course", "check", "none"}}) {
    const auto report = place.run(line);
    EXPECT_EQ(test::exit_code(report), 2);
    EXPECT_THAT(report.standard_error, HasSubstr("is no course folder: it has no course.yaml"));
  }
}

TEST_F(CourseCli, ARejudgeKnowsTheOutcomes) {
  const auto wrong = course({"rejudge", "gpu", "m1", "--verdict", "wrongoutput", "--reason", "x"});
  EXPECT_EQ(test::exit_code(wrong), 2);
  EXPECT_THAT(wrong.standard_error, AllOf(HasSubstr("there is no outcome 'wrongoutput'"),
                                          HasSubstr("the outcomes are passed, wrong_output,")));
  EXPECT_THAT(
      course({"rejudge", "gpu", "m1", "--verdict", "wrong output", "--reason", "x"}).standard_error,
      HasSubstr("no graded submission of m1 passes the filter: verdict wrong_output"));
}

TEST_F(CourseCli, StaffAreWarnedOnceWhereTheReferenceSolutionFails) {
  OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "no sandbox here");
  std::ifstream quickest(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml");
  std::ofstream(place.path() / "gpu/own.yaml") << quickest.rdbuf() << "tolerance: 1e-30\n";
  edit("config: self-check ", "config: own.yaml ");
  fs::create_directory(place.path() / "in");
  fs::copy(OPGRADE_SOURCE_DIR "/tests/corpus/submissions/good", place.path() / "in/ada");
  ASSERT_EQ(test::exit_code(course({"add", "gpu", "m1", "in"})), 0);
  const char* const warning = "m1: the reference solution fails cpu/random (wrong output";
  const auto graded = course({"grade", "gpu", "m1"});
  EXPECT_EQ(test::exit_code(graded), 0);
  EXPECT_THAT(graded.standard_error, HasSubstr(warning));
  EXPECT_THAT(course({"check", "gpu"}).standard_output, HasSubstr(warning));
  EXPECT_THAT(course({"verify", "gpu"}).standard_output, HasSubstr("1 submission and 1 result"));
}

/// CUDA_VISIBLE_DEVICES names a part of a GPU, which opgrade takes as it is on any machine.
TEST_F(CourseCli, OutsideTheHoursOfTheGpuGradeSaysWhenToRepeatIt) {
  const auto hour = std::chrono::floor<std::chrono::hours>(std::chrono::system_clock::now());
  const auto of_day = [&](int later) {
    return std::to_string(
        ((hour.time_since_epoch() + std::chrono::hours(later)) % std::chrono::days(1)).count());
  };
  edit("time_zone: America/Chicago", "time_zone: UTC");
  edit("config: self-check ", "config: " OPGRADE_SOURCE_DIR "/tests/configs/cli-gpu.yaml ");
  edit("assignments:", "gpu: {hours: " + of_day(4) + "-" + of_day(8) + "}\nassignments:");
  fs::create_directories(place.path() / "in/ada");
  std::ofstream(place.path() / "in/ada/new-forward.cu") << "int x;\n";
  ASSERT_EQ(test::exit_code(course({"add", "gpu", "m1", "in"})), 0);
  EXPECT_THAT(course({"check", "gpu"}).standard_output, HasSubstr("the GPU's hours: "));
  const auto grade = place.run({"course", "grade", "gpu", "m1"}, {"CUDA_VISIBLE_DEVICES=MIG-1"});
  EXPECT_EQ(test::exit_code(grade), 3) << grade.standard_error;
  EXPECT_THAT(grade.standard_output,
              AllOf(HasSubstr("m1: 0 graded"),
                    HasSubstr("m1: 1 submission is not graded (ada): the GPU's hours are "),
                    HasSubstr(" (UTC), next from "), HasSubstr("; repeat the command then")));
}

}  // namespace
}  // namespace opgrade
