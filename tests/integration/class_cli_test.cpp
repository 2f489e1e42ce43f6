// opgrade grade over a class: whose result is where, what is in the table, and what stops it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "grader/grading/device/timing_lock.hpp"
#include "tests/integration/cli_fixture.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::exit_code;
using test::kQuick;
using test::submission;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ClassCli : public test::SandboxedCli {
 protected:
  /// A submission at `where` in the workplace.
  void hand_in(const char* where, const char* name = "missing_file") const {
    fs::create_directories((place.path() / where).parent_path());
    fs::copy(submission(name), place.path() / where, fs::copy_options::recursive);
  }
  ProcessReport grade(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "grade");
    arguments.insert(arguments.end(), {"--config", kQuick});
    return place.run(arguments);
  }
  std::string text_of(const char* name) const {
    std::ifstream file(place.path() / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string path_in(const char* result) const {
    const json report = json::parse(text_of(result), nullptr, false);
    return report.is_discarded() ? "" : report["submission"].value("path", "");
  }
};

TEST_F(ClassCli, AResultIsOfItsOwnerWhateverTheOrder) {
  hand_in("class/ada/Project");
  hand_in("class/bob/Project", "not_compiling");
  for (const std::vector<std::string>& order :
       {std::vector<std::string>{"class/ada/Project", "class/bob/Project"},
        {"class/bob/Project", "class/ada/Project"},
        {"class/bob/Project"}}) {
    EXPECT_EQ(exit_code(grade(order)), 1);
    EXPECT_EQ(path_in("results/ada/report.json"), place.path() / "class/ada/Project");
    EXPECT_EQ(path_in("results/bob/report.json"), place.path() / "class/bob/Project");
    EXPECT_THAT(text_of("results/ada/report.txt"), HasSubstr("cpu-new-forward.cc is missing"));
    EXPECT_THAT(text_of("results/bob/report.txt"), HasSubstr("does not build"));
  }
}

TEST_F(ClassCli, NoResultReplacesThatOfAnother) {
  hand_in("spring/ada");
  hand_in("autumn/ada", "not_compiling");
  grade({"spring/ada"});
  grade({"autumn/ada"});
  EXPECT_EQ(path_in("results/ada/report.json"), place.path() / "spring/ada");
  EXPECT_EQ(path_in("results/autumn_ada/report.json"), place.path() / "autumn/ada");
}

TEST_F(ClassCli, TheTableHasAllResultsOfTheFolderAsTheRankingHas) {
  hand_in("class/ada");
  hand_in("class/bob");
  grade({"class/ada", "class/bob"});
  const auto second = grade({"class/bob"});
  EXPECT_THAT(second.standard_output, HasSubstr("1 graded; table of all 2 results"));
  const std::string table = text_of("results/grades.csv");
  const std::string ranking = place.run({"rank", "results", "--config", kQuick}).standard_output;
  for (const char* name : {"\nada,", "\nbob,"}) {
    EXPECT_THAT(table, HasSubstr(name));
    EXPECT_THAT(ranking, HasSubstr(name));
  }
}

TEST_F(ClassCli, GoesOnWhereItsProgressCannotBePrinted) {
  for (const char* name : {"class/ada", "class/bob", "class/eve"}) hand_in(name);
  Command command =
      place.command({"grade", "class/ada", "class/bob", "class/eve", "--config", kQuick});
  command.confine = [] {
    int ends[2];
    if (::pipe(ends) != 0) return errno;
    ::close(ends[0]);  // nothing reads stderr
    return ::dup2(ends[1], STDERR_FILENO) < 0 ? errno : 0;
  };
  EXPECT_EQ(exit_code(run_command(command, test::kPatience)), 1);
  const std::string table = text_of("results/grades.csv");
  for (const char* name : {"\nada,", "\nbob,", "\neve,"}) EXPECT_THAT(table, HasSubstr(name));
}

TEST_F(ClassCli, AConfigThatNoSubmissionCanMeetIsNamed) {
  for (const char* who : {"class/ada", "class/bob", "class/eve"}) hand_in(who, "good");
  write(
      "accurate.yaml",
      "opgrade: 1\nname: accurate\nmodels:\n"
      "  m: {network: fmnist-28, weights: fmnist-28-high}\nstages:\n"
      "  - {name: cpu, device: cpu, cases: [{model: m, batch: 100, accuracy: 0.85, points: 5}]}\n");
  const auto report = place.run({"grade", "class/ada", "class/bob", "class/eve", "--config",
                                 "accurate.yaml", "--out", "results", "--quiet"});
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(report.standard_error,
              AllOf(HasSubstr("3 submissions with right outputs have another accuracy"),
                    HasSubstr("the reference solution fails cpu/m/100 (wrong accuracy: accuracy "
                              "0.86, but 0.85 is required)")));
}

TEST_F(ClassCli, EveryPathThatIsNotThereIsNamedBeforeAnythingIsGraded) {
  hand_in("class/ada");
  const auto report = grade({"class/ada", "class/bbo", "class/eev"});
  EXPECT_EQ(exit_code(report), 2);
  EXPECT_THAT(report.standard_error,
              AllOf(HasSubstr("2 of 3 paths"), HasSubstr("class/bbo (No such file"),
                    HasSubstr("class/eev (No such file"), HasSubstr("nothing was graded")));
  EXPECT_EQ(report.standard_output, "");
  EXPECT_FALSE(fs::exists(place.path() / "results"));
}

TEST_F(ClassCli, AStrayFileIsSkippedAndNoStudent) {
  hand_in("class/ada");
  write("class/notes.txt", "not an archive");
  write("class/grades.xlsx.rar", "what a student took for an archive");
  const auto report = grade({"class/ada", "class/grades.xlsx.rar", "class/notes.txt"});
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("1 skipped: class/notes.txt: neither a folder nor an archive"),
                    HasSubstr("2 graded")));
  EXPECT_FALSE(fs::exists(place.path() / "results/notes.txt"));
  const auto nothing = grade({"class/notes.txt"});
  EXPECT_EQ(exit_code(nothing), 2);
  EXPECT_THAT(nothing.standard_error, HasSubstr("no submission among the paths: class/notes.txt"));
}

TEST_F(ClassCli, TheTimeThatIsLeftIsShown) {
  hand_in("class/ada");
  hand_in("class/bob");
  // One at a time: of two, the second may need no time any more when the first ends.
  EXPECT_THAT(grade({"class/ada", "class/bob", "--jobs", "1"}).standard_error,
              testing::ContainsRegex("\\[1/2\\] ada: refused, .* min left\n"));
}

TEST_F(ClassCli, AGraderThatFailsOnTheFirstThreeStopsTheClass) {
  for (const char* name : {"class/a", "class/b", "class/c", "class/d", "class/e"})
    hand_in(name, "good");
  // One at a time: of two, the fourth is under way when the third ends.
  const std::vector<std::string> words{"grade",   "class/a",  "class/b", "class/c", "class/d",
                                       "class/e", "--config", kQuick,    "--jobs",  "1"};
  // A harness that cannot be started is an installation that is broken for everybody.
  Command command = place.command(words, {"OPGRADE_SHARE=" OPGRADE_BINARY_DIR "/share/opgrade"});
  fs::create_directory(place.path() / "bin");
  fs::copy_file(command.program, place.path() / "bin/opgrade");
  command.program = place.path() / "bin/opgrade";
  write("bin/opgrade-harness", "no program");
  const WatchLimits& patience = test::kPatience;
  const auto report = run_command(command, patience);
  EXPECT_EQ(exit_code(report), 3);
  EXPECT_THAT(report.standard_error,
              AllOf(HasSubstr("the grader failed on each of the first 3 submissions; 2 more are"),
                    HasSubstr("--keep-going")));
  EXPECT_FALSE(fs::exists(place.path() / "results/d"));
  EXPECT_THAT(text_of("results/grades.csv"), HasSubstr("\nc,grader_fault,"));
  command.arguments.emplace_back("--keep-going");
  EXPECT_EQ(exit_code(run_command(command, patience)), 3);
  EXPECT_TRUE(fs::exists(place.path() / "results/e"));
  EXPECT_EQ(exit_code(place.run(words)), 0) << "the same command, once the grader is well";
}

/// A stopped grader holds the folder, so that the second one meets it.
TEST_F(ClassCli, TwoGradersDoNotShareAFolder) {
  ChildProcess first = ChildProcess::start(
      place.command({"grade", submission("good"), submission("endless_sleep"), "--config",
                     OPGRADE_SOURCE_DIR "/tests/configs/corpus.yaml"}),
      test::kPatience);
  EXPECT_TRUE(
      test::reaches(first, [&] { return fs::exists(place.path() / "results/good/report.json"); }));
  ::kill(first.pid(), SIGSTOP);
  const auto second = grade({submission("good")});
  ::kill(first.pid(), SIGTERM);
  ::kill(first.pid(), SIGCONT);
  EXPECT_EQ(exit_code(first.finish()), 130) << "ended before the second one came";
  EXPECT_EQ(exit_code(second), 3);
  EXPECT_THAT(second.standard_error,
              AllOf(HasSubstr("results is in use by another grading: process " +
                              std::to_string(first.pid())),
                    HasSubstr("another --out")));
  EXPECT_THAT(text_of("results/grades.csv"), HasSubstr("\ngood,passed,")) << "after the interrupt";
  EXPECT_EQ(exit_code(grade({submission("good")})), 0) << "the folder is free again";
}

TEST_F(ClassCli, WorkWithoutTimesDoesNotQueue) {
  write("emulated.yaml",
        "opgrade: 1\nname: emulated\nmodels:\n  high: {network: fmnist-86, weights: "
        "fmnist-86-high}\nstages:\n"
        "  - {name: cpu, device: cpu, random_shapes: {count: 1, points: 1}}\n"
        "  - name: gpu\n    device: emulated\n    random_shapes: {count: 1, points: 1}\n"
        "    cases: [{model: high, batch: 1, points: 1}]\n");
  // As a timed run of another grader, for as long as this one takes.
  const TimingLock others;
  const auto report = run_command(
      place.command({"check", OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3", "--config",
                     "emulated.yaml", "--json"}),
      {.wall = std::chrono::minutes(10), .kept_bytes = 1 << 20});  // it would wait for 15
  const json grade = json::parse(report.standard_output, nullptr, false);
  ASSERT_FALSE(grade.is_discarded()) << report.standard_error << "it waited for its turn";
  EXPECT_EQ(grade["points"], 3) << grade["reason"];
}

TEST_F(ClassCli, LargerCasesAreNotRunAfterATimeOut) {
  const auto config = [&](const char* key) {
    write("large.yaml", std::string("opgrade: 1\nname: large\n") + key +
                            "limits: {run: {wall: 2 s}}\nmodels:\n"
                            "  high: {network: fmnist-86, weights: fmnist-86-high}\nstages:\n"
                            "  - name: cpu\n    device: cpu\n    cases:\n"
                            "      - {model: high, batch: 30, points: 1}\n"
                            "      - {model: high, batch: 20, points: 1}\n"
                            "      - {model: high, batch: 40, points: 1}\n");
    place.run({"grade", submission("endless_sleep"), "--config", "large.yaml", "--out", "large",
               "--again"});
    std::ifstream file(place.path() / "large/endless_sleep/report.json");
    return json::parse(file)["stages"][0]["cases"];
  };
  const json cases = config("");
  EXPECT_THAT(cases[1]["reason"].get<std::string>(), Not(HasSubstr("not run"))) << "it is smaller";
  EXPECT_EQ(cases[0]["reason"], "not run: a smaller batch ran out of time");
  EXPECT_EQ(cases[2]["outcome"], "out_of_time");
  EXPECT_EQ(cases[2]["reason"], "not run: a smaller batch ran out of time");
  EXPECT_EQ(cases[2]["usage"]["elapsed_s"], 0);
  EXPECT_EQ(cases[2]["points"][0]["points"], 0);
  EXPECT_EQ(cases[2]["points"][0]["open"], false);
  EXPECT_GT(config("run_after_timeout: true\n")[2]["usage"]["elapsed_s"], 0) << "it was run";
}

}  // namespace
}  // namespace opgrade
