#include "grader/course/results/class_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>

#include "grader/base/core/temp_dir.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/course/results/class_results.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/course/results/result_names.hpp"
#include "grader/course/results/same_files.hpp"
#include "grader/grading/pipeline/submission_path.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/task/config/case_rules.hpp"
#include "grader/task/config/load.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class GradeClass : public testing::Test {
 protected:
  /// Grades by table: nothing is built or run.
  ClassGrading grading() {
    return {
        [this](const fs::path& submission, const std::string& name) {
          const std::scoped_lock lock(guard);
          graded.push_back(name);
          if (interrupt_at == name) throw interrupt::Interrupted();
          Grade grade =
              test::grade_with(outcomes.contains(name) ? outcomes[name] : Outcome::passed);
          grade.submission = name;
          grade.submission_path = owner_of(submission);
          test::sentence_in(grade.stages[0].cases[0].reason).hint = "mend the grader";
          grade.points = static_cast<double>(graded.size());
          if (item) grade.stages[0].points.push_back(*item);
          return grade;
        },
        [](const Grade& grade, const fs::path&) { return grade.outcome != Outcome::grader_fault; },
        [this](const fs::path& submission) { return files[submission.filename()]; },
    };
  }
  /// Of a file that does not compile.
  static Grade broken_at_line_2() {
    Grade grade = test::grade_with(Outcome::build_failed);
    auto& stage = grade.stages.at(0);
    stage.folder = ".";
    stage.files = {"cpu-new-forward.cc"};
    stage.build = {.outcome = Outcome::build_failed,
                   .compiler_output = "cpu-new-forward.cc:2:1: error: no such name\n"};
    return grade;
  }
  ClassRun run(const std::vector<fs::path>& submissions) {
    graded.clear();
    return grade_class(grading(), submissions, options);
  }
  std::vector<std::string> table() const {
    std::ifstream file(options.results / "grades.csv");
    std::vector<std::string> names;
    std::string line;
    for (std::getline(file, line); std::getline(file, line);)
      names.push_back(line.substr(0, line.find(',')));
    return names;
  }

  const TempDir place{"opgrade-test-"};
  ClassOptions options{.results = place.path() / "results"};
  std::mutex guard;
  std::map<std::string, Outcome> outcomes;
  std::map<std::string, std::string> files;  // by submission
  std::optional<PointItem> item;
  std::string interrupt_at;
  std::vector<std::string> graded;
};

TEST_F(GradeClass, TheTableIsOfTheFolderNotOfTheCall) {
  run({"/c/ada", "/c/bob"});
  const auto second = run({"/c/eve"});
  EXPECT_EQ(second.grades.size(), 1U);
  EXPECT_EQ(second.in_table, 3U);
  EXPECT_THAT(table(), ElementsAre("ada", "bob", "eve"));
}

TEST_F(GradeClass, CurrentResultsAreKeptAndReportedFirst) {
  run({"/c/bob"});
  std::vector<std::string> told;
  options.progress = [&](const GradingProgress& now) {
    told.push_back(now.grade.submission + (now.reused ? " kept" : ""));
    EXPECT_EQ(now.done, told.size());
    EXPECT_EQ(now.all, 3U);
    EXPECT_EQ(now.left.has_value(), !now.reused);
  };
  const auto all = run({"/c/ada", "/c/bob", "/c/eve"});
  EXPECT_THAT(told, ElementsAre("bob kept", "ada", "eve"));
  EXPECT_THAT(graded, ElementsAre("ada", "eve"));
  ASSERT_EQ(all.grades.size(), 3U);
  EXPECT_EQ(all.grades[1].submission, "bob") << "in the order of the submissions";
}

TEST_F(GradeClass, AnotherOrderGivesNobodyTheResultOfAnother) {
  run({"/c/ada/Project", "/c/bob/Project"});
  run({"/c/bob/Project", "/c/ada/Project"});
  EXPECT_THAT(graded, ElementsAre());
  run({"/d/ada"});
  const auto results = read_results(options.results).grades;
  EXPECT_EQ(results.at("ada").submission_path, "/c/ada/Project");
  EXPECT_EQ(results.at("bob").submission_path, "/c/bob/Project");
  EXPECT_EQ(results.size(), 3U);
}

TEST_F(GradeClass, TheSameFilesHaveOneGradeWhereverTheyStandInTheQueue) {
  files = {{"a", "1"}, {"b", "2"}, {"c", "1"}, {"d", "1"}, {"e", ""}, {"f", ""}, {"g", "1"}};
  const auto of = [&](const std::vector<fs::path>& submissions) {
    std::vector<double> points;
    for (const Grade& grade : run(submissions).grades) points.push_back(grade.points);
    return points;
  };
  EXPECT_THAT(of({"/c/a", "/c/b", "/c/c", "/c/d", "/c/e", "/c/f"}), ElementsAre(1, 2, 1, 1, 3, 4));
  EXPECT_THAT(graded, ElementsAre("a", "b", "e", "f"));
  EXPECT_THAT(of({"/c/g", "/c/c"}), ElementsAre(1, 1)) << "of an earlier run";
  EXPECT_THAT(graded, ElementsAre());
  const Grade copy = read_results(options.results).grades.at("g");
  EXPECT_EQ(copy.submission_path, "/c/g");
  EXPECT_TRUE(std::ranges::any_of(copy.notes, &Note::is<notes::SameFiles>));
}

TEST_F(GradeClass, OpenPointsStandForNoCopyButThoseOfStaffDo) {
  files = {{"a", "1"}, {"b", "1"}};
  for (const bool by_staff : {true, false}) {
    item = {.name = "report", .max_points = 3, .open = true};
    if (by_staff) item->reason = why::ByStaff{};
    options.again = true;
    run({"/c/a", "/c/b"});
    EXPECT_EQ(graded.size(), by_staff ? 1U : 2U);
  }
}

TEST_F(GradeClass, WhatTheMachineMayHaveCausedStandsForNoCopy) {
  files = {{"a", "1"}, {"b", "1"}};
  for (const Outcome outcome :
       {Outcome::grader_fault, Outcome::out_of_time, Outcome::not_credible}) {
    outcomes["a"] = outcome;
    options.again = true;
    const auto grades = run({"/c/a", "/c/b"}).grades;
    EXPECT_THAT(graded, ElementsAre("a", "b"));
    EXPECT_EQ(grades[1].outcome, Outcome::passed);
  }
}

TEST(GradeOfCopy, IsNoneWhereTheCompilerWasStopped) {
  Grade first = test::grade_with(Outcome::build_failed);
  EXPECT_TRUE(grade_of_copy(first, "b", "/c/b"));
  first.stages[0].build.reason = why::CompilerLimit{Limit()};
  EXPECT_FALSE(grade_of_copy(first, "b", "/c/b"));
}

// Else its student would read in it that somebody else has the same files.
TEST(GradeOfCopy, LooksLikeAGradingOfItsOwn) {
  Grade first = test::passed_grade();
  first.machine.started = "2026-10-12T08:00:00Z";
  first.elapsed_s = 4.5;
  const Grade copy = grade_of_copy(first, "b", "/c/b").value();
  EXPECT_GT(copy.machine.started, first.machine.started);
  EXPECT_EQ(copy.elapsed_s, 4.5);
  const Grade second = grade_of_copy(copy, "c", "/c/c").value();
  const auto made = [](const Grade& grade) {
    std::vector<std::string> all;
    for (const Note& note : grade.notes)
      if (const auto* const same = std::get_if<notes::SameFiles>(&note.what))
        all.push_back(same->made);
    return all;
  };
  EXPECT_THAT(made(copy), ElementsAre("2026-10-12T08:00:00Z"));
  EXPECT_THAT(made(second), ElementsAre("2026-10-12T08:00:00Z")) << "when the first was graded";
  const std::string students = report::exporter("json").write(copy, {report::Audience::student});
  EXPECT_THAT(students, testing::Not(testing::HasSubstr("2026-10-12T08:00:00Z")));
}

TEST_F(GradeClass, AResultWithoutAnOwnerIsNoReasonToKeepIt) {
  Grade old = test::passed_grade();
  fs::create_directory(options.results);
  write_result(options.results / "ada", old);
  run({"/c/ada"});
  EXPECT_THAT(graded, ElementsAre("ada"));
  EXPECT_THAT(table(), ElementsAre("ada"));
}

TEST_F(GradeClass, AnInterruptLeavesTheTableOfWhatWasDone) {
  interrupt_at = "bob";
  EXPECT_THROW(run({"/c/ada", "/c/bob", "/c/eve"}), interrupt::Interrupted);
  EXPECT_THAT(table(), ElementsAre("ada"));
}

TEST_F(GradeClass, ThreeFaultsAtTheStartStopIt) {
  for (const char* name : {"a", "b", "c", "d", "e"}) outcomes[name] = Outcome::grader_fault;
  try {
    run({"/c/a", "/c/b", "/c/c", "/c/d", "/c/e"});
    FAIL() << "all were graded";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("the first 3 submissions; 2 more are not graded: what happened"));
    EXPECT_THAT(e.hint, testing::StartsWith("mend the grader; "));
  }
  EXPECT_THAT(graded, ElementsAre("a", "b", "c"));
  EXPECT_THAT(table(), ElementsAre("a", "b", "c"));
}

TEST_F(GradeClass, FaultsThatAreNotTheFirstThreeDoNot) {
  for (const char* name : {"a", "b", "d", "e", "f"}) outcomes[name] = Outcome::grader_fault;
  EXPECT_EQ(run({"/c/a", "/c/b", "/c/c", "/c/d", "/c/e", "/c/f"}).grades.size(), 6U);
}

TEST_F(GradeClass, FaultsDoNotStopAClassOfThreeNorOneThatIsToGoOn) {
  for (const char* name : {"a", "b", "c", "d"}) outcomes[name] = Outcome::grader_fault;
  EXPECT_EQ(run({"/c/a", "/c/b", "/c/c"}).grades.size(), 3U) << "nothing is left to stop";
  options.keep_going = true;
  EXPECT_EQ(run({"/c/a", "/c/b", "/c/c", "/c/d"}).grades.size(), 4U);
}

TEST_F(GradeClass, AFolderWithoutAReportIsToldOf) {
  fs::create_directories(options.results / "photos");
  const auto all = run({"/c/ada"});
  EXPECT_THAT(all.unreadable, ElementsAre(options.results / "photos"));
  EXPECT_THAT(table(), ElementsAre("ada"));
}

TEST(DefaultJobs, FourAGpuWithFourCoresEach) {
  EXPECT_EQ(default_jobs(0, true, 64), 1);
  EXPECT_EQ(default_jobs(1, true, 16), 4);
  EXPECT_EQ(default_jobs(1, true, 8), 2);
  EXPECT_EQ(default_jobs(1, false, 4), 1);
  EXPECT_EQ(default_jobs(1, true, 2), 1);
  EXPECT_EQ(default_jobs(8, true, 128), 32);
  EXPECT_EQ(default_jobs(8, false, 16), 4);
  EXPECT_EQ(default_jobs(2, true, 0), 1) << "unknown";
}

TEST(DefaultJobs, WithoutAGpuTheCoresWhereTimesDoNotCount) {
  EXPECT_EQ(default_jobs(0, false, 0), 1) << "unknown";
  EXPECT_EQ(default_jobs(0, false, 1), 1);
  EXPECT_EQ(default_jobs(0, false, 2), 2);
  EXPECT_EQ(default_jobs(0, false, 16), 8);
  Config config;
  config.stages.push_back({.name = "cpu", .device = Device::cpu});
  config.stages.push_back({.name = "gpu", .device = Device::cuda});
  EXPECT_FALSE(cpu_times_count(config));
  config.stages[1].op_times.emplace_back();
  EXPECT_FALSE(cpu_times_count(config));
  config.ranking.emplace().stage = "cpu";
  EXPECT_TRUE(cpu_times_count(config));
  config.ranking->stage = "gpu";
  config.stages[0].op_times.emplace_back();
  EXPECT_TRUE(cpu_times_count(config));
}

TEST_F(GradeClass, ThePageShowsTheLinesAroundAMistake) {
  const fs::path folder = options.results.parent_path() / "handed-in" / "ada";
  fs::create_directories(folder);
  std::ofstream(folder / "cpu-new-forward.cc") << "int first;\nbroken <line>\nint last;\n";
  ClassGrading by = grading();
  by.grade = [](const fs::path&, const std::string&) { return broken_at_line_2(); };
  by.config = std::make_shared<const Config>(
      load_config(OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml").config);
  grade_class(by, {folder}, options);
  const std::string page = text_of_file(options.results / "ada" / "report.html");
  EXPECT_THAT(page, testing::AllOf(HasSubstr("cpu-new-forward.cc, line 2"), HasSubstr("int first;"),
                                   HasSubstr("broken &lt;line&gt;"), HasSubstr("int last;")));
}

}  // namespace
}  // namespace opgrade
