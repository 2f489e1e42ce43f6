// The command line: exit codes, verbs, options and helps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "grader/report/formats/exporters.hpp"
#include "tests/integration/cli_fixture.hpp"
#include "tests/support/archive_bytes.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::Cli;
using test::exit_code;
using test::kQuick;
using test::SandboxedCli;
using test::submission;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(SandboxedCli, PassedIsZero) {
  const auto report = run({"check", submission("good"), "--config", kQuick});
  EXPECT_EQ(exit_code(report), 0);
  EXPECT_THAT(report.standard_output, HasSubstr("5 of 5 points"));
  EXPECT_EQ(report.standard_error, "");
}

TEST_F(SandboxedCli, BelowThePassMarkIsOne) {
  const auto report = run({"check", submission("wrong_nan"), "--config", kQuick});
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(report.standard_output, AllOf(HasSubstr("0 of 5 points"), HasSubstr("NaN")));
}

TEST_F(SandboxedCli, AClassIsAsGoodAsItsWorst) {
  EXPECT_EQ(exit_code(run({"grade", submission("good"), "--config", kQuick})), 0);
  EXPECT_EQ(exit_code(run(
                {"grade", submission("good"), submission("not_compiling"), "--config", kQuick})),
            1);
}

TEST_F(SandboxedCli, ArchivesAreGradedAsFoldersAre) {
  std::vector<test::Packed> files;
  for (const auto& entry : fs::directory_iterator(submission("good"))) {
    std::ifstream file(entry.path(), std::ios::binary);
    files.push_back(
        {"ada/" + entry.path().filename().string(), {std::istreambuf_iterator<char>(file), {}}});
  }
  write("class/ada.zip", test::pack(files));
  write("class/bob.tar.gz", test::pack(files, "gnutar", "gzip"));
  files.push_back({"../../escaped", "x"});
  write("class/eve.zip", test::pack(files));
  write("class/mal.zip", "not an archive");
  const std::vector<std::string> grade{"grade",         "class/ada.zip", "class/bob.tar.gz",
                                       "class/eve.zip", "class/mal.zip", "--config",
                                       kQuick};
  const auto report = run(grade);
  EXPECT_EQ(exit_code(report), 1) << report.standard_error;
  const auto outcome = [&](const char* name) {
    std::ifstream file(place.path() / "results" / name / "report.json");
    return json::parse(file).at("outcome").get<std::string>();
  };
  EXPECT_EQ(outcome("ada"), "passed");
  EXPECT_EQ(outcome("bob"), "passed");
  EXPECT_EQ(outcome("eve"), "refused");
  EXPECT_EQ(outcome("mal"), "refused");
  EXPECT_THAT(report.standard_output, HasSubstr("a path that leaves the archive"));
  EXPECT_FALSE(fs::exists(place.path() / "escaped"));
  const auto again = run(grade);
  EXPECT_THAT(again.standard_error, AllOf(HasSubstr("ada: passed"), HasSubstr("kept from before")));
}

TEST_F(SandboxedCli, TheCommandOfAReportIsForAShell) {
  const fs::path folder = place.path() / "my work (final)";
  fs::copy(submission("wrong_shifted"), folder, fs::copy_options::recursive);
  const auto report = run({"check", folder, "--config", kQuick, "--device", "emulated"});
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("again: opgrade check '" + folder.string() + "' --config "),
                    HasSubstr(" --device emulated --seed ")));
}

TEST_F(SandboxedCli, NoFileForAStudentHasTheSeedOfTheClassOrAPathOfStaff) {
  const fs::path name = "D\u00f6rte M\u00fcller", config = place.path() / "staff/quick.yaml";
  fs::create_directories(place.path() / "class");
  fs::copy(submission("wrong_shifted"), place.path() / "class" / name, fs::copy_options::recursive);
  fs::create_directories(config.parent_path());
  fs::copy(kQuick, config);
  run({"grade", place.path() / "class" / name, "--config", config, "--seed", "424242424242", "-o",
       "results"});
  const fs::path results = place.path() / "results" / name;
  ASSERT_TRUE(fs::exists(results)) << "the name is kept";
  const auto expect_harmless = [&](const std::string& text, const std::string& what) {
    EXPECT_THAT(text, Not(HasSubstr("424242424242"))) << what;
    EXPECT_THAT(text, Not(HasSubstr(place.path().string()))) << what;
  };
  for (const auto& entry : fs::directory_iterator(results)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    if (entry.path().filename() == "report.json") {
      EXPECT_THAT(text, AllOf(HasSubstr("424242424242"), HasSubstr(place.path().string())));
    } else {
      expect_harmless(text, entry.path().filename());
    }
    if (entry.path().filename() == "report.txt") {
      EXPECT_THAT(text, HasSubstr("again: opgrade check . --config quick.yaml --only "));
    }
  }
  for (const report::Exporter& e : report::exporters()) {
    const std::string format(e.name);
    const auto shown = run({"show", results, "--format", format});
    EXPECT_EQ(exit_code(shown), 0) << format;
    expect_harmless(shown.standard_output, format);
  }
}

TEST_F(SandboxedCli, AnnotationsNameFilesFromTheTopOfTheCheckout) {
  fs::create_directories(place.path() / "repository/labs");
  fs::copy(submission("not_compiling"), place.path() / "repository/labs/conv",
           fs::copy_options::recursive);
  run({"grade", "repository/labs/conv", "--config", kQuick, "-o", "results"});
  for (const char* format : {"sarif", "github"}) {
    Command command = place.command({"show", place.path() / "results/conv", "--format", format});
    command.working_folder = place.path() / "repository";
    EXPECT_THAT(run_command(command, test::kPatience).standard_output,
                HasSubstr("labs/conv/cpu-new-forward.cc"))
        << format;
  }
}

TEST_F(SandboxedCli, ASanitizerThatIsNotRunIsToldOf) {
  const auto report = run({"check", submission("missing_file"), "--device", "emulated",
                           "--sanitize", "--only", "gpu/random"});
  EXPECT_THAT(report.standard_output, HasSubstr("compute-sanitizer needs a GPU"));
}

TEST_F(SandboxedCli, AFolderThatIsADotHasAName) {
  fs::copy(submission("missing_file"), place.path() / "ada", fs::copy_options::recursive);
  Command command = place.command({"check", ".", "--config", kQuick});
  command.working_folder = place.path() / "ada";
  EXPECT_THAT(run_command(command, test::kPatience).standard_output, testing::StartsWith("ada "));
}

TEST_F(SandboxedCli, RostersNameSubmissionsAsStaffDo) {
  fs::copy(submission("missing_file"), place.path() / "ada b", fs::copy_options::recursive);
  const fs::path results = place.path() / "results", config = place.path() / "quiz.yaml";
  std::ofstream(config) << "opgrade: 1\nname: quiz\nstages:\n  - name: cpu\n    device: cpu\n"
                           "    random_shapes: {count: 1, points: 1}\n"
                           "    open_items: [{name: Quiz 1, points: 4}]\n";
  const auto graded = run({"grade", place.path() / "ada b", "-c", config, "-o", results});
  EXPECT_EQ(exit_code(graded), 1) << "nothing may be wrong where there is no mark";
  std::ofstream(place.path() / "names.txt") << "ada b\nbob c\n";
  std::ofstream(place.path() / "points.csv") << "ada b,Quiz 1,3\n";
  const std::vector<std::string> rank = {"rank",     results,
                                         "-c",       config,
                                         "--roster", place.path() / "names.txt",
                                         "--staff",  place.path() / "points.csv"};
  const auto table = run(rank);
  EXPECT_THAT(table.standard_output,
              AllOf(HasSubstr("\nada b,,,0,0,3,0,3,"), HasSubstr("\nbob c,")));
  std::ofstream(place.path() / "points.csv")
      << "\xEF\xBB\xBFsubmission,item,points\r\nada b,Quizz,3\r\n";
  expect_error(run(rank), 2, "'ada b,Quizz,3': the config has no open item 'Quizz', only: Quiz 1");
  std::ofstream(place.path() / "names.txt") << "id,login,name\n1,ada,Ada\n";
  expect_error(run(rank), 2, "names.txt: 'id,login,name' is no name of a result");
}

TEST_F(Cli, TheHelpNamesTheConfigThatIsTaken) {
  EXPECT_THAT(run({"grade", "--help"}).standard_output, HasSubstr("TEXT=minidnn"));
  EXPECT_THAT(run({"check", "--help"}).standard_output, HasSubstr("else self-check"));
}

TEST_F(Cli, WrongUsageSaysWhereTheHelpIs) {
  expect_error(run({}), 2, "-> opgrade --help");
  expect_error(run({"check"}), 2, "-> opgrade check --help");
}

TEST_F(Cli, WrongUsageIsTwo) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                    {"chekc"},
                                                    {"check"},
                                                    {"check", "missing-folder"},
                                                    {"check", ".", "--no-such-option"},
                                                    {"check", ".", "--device", "gpu"},
                                                    {"grade"},
                                                    {"grade", ".", "--jobs", "0"},
                                                    {"grade", ".", "--jobs", "many"},
                                                    {"show"},
                                                    {"show", "missing-folder"},
                                                    {"show", ".", "--format", "pdf"},
                                                    {"check-config"},
                                                    {"data", "--size", "0"},
                                                    {"data", "--images", "only-images"},
                                                    {"import"},
                                                    {"init"}}) {
    const auto report = run(arguments);
    EXPECT_EQ(exit_code(report), 2) << testing::PrintToString(arguments) << report.standard_error;
    EXPECT_FALSE(report.standard_error.empty()) << testing::PrintToString(arguments);
    EXPECT_EQ(report.standard_output, "") << testing::PrintToString(arguments);
  }
}

TEST_F(Cli, HelpAndVersionAreResults) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--help"}, {"--version"}, {"check", "--help"}, {"grade", "-h"}}) {
    const auto report = run(arguments);
    EXPECT_EQ(exit_code(report), 0);
    EXPECT_FALSE(report.standard_output.empty());
    EXPECT_EQ(report.standard_error, "");
  }
}

TEST_F(SandboxedCli, InterruptKeepsWhatIsFinished) {
  for (const int number : {SIGINT, SIGTERM}) {
    const test::Workplace own;
    const auto results = own.path() / "results";
    ChildProcess child = ChildProcess::start(
        own.command({"grade", submission("good"), submission("endless_sleep"),
                     submission("wrong_nan"), "--config",
                     OPGRADE_SOURCE_DIR "/tests/configs/corpus.yaml", "--out", results}),
        test::kPatience);
    // In the second submission, which ends at its limit only.
    EXPECT_TRUE(test::reaches(child, [&] {
      return fs::exists(results / "good/report.json") && own.runs_a_submission();
    }));
    ::kill(child.pid(), number);
    const auto report = child.finish();
    EXPECT_EQ(exit_code(report), 130) << report.standard_error;
    EXPECT_EQ(report.standard_output, "");
    EXPECT_THAT(report.standard_error, HasSubstr("the same command grades the rest"));
    EXPECT_TRUE(fs::exists(results / "good/report.json"));
    EXPECT_TRUE(fs::exists(results / "grades.csv"));
    EXPECT_FALSE(fs::exists(results / "endless_sleep/report.json"));
    EXPECT_THAT(own.processes(), testing::IsEmpty());
    EXPECT_TRUE(fs::is_empty(own.temporary()));
  }
}

TEST_F(Cli, CheckConfigPrintsWhatLoadsAgain) {
  const auto report = run({"check-config", kQuick});
  EXPECT_EQ(exit_code(report), 0);
  write("again.yaml", report.standard_output);
  EXPECT_EQ(run({"check-config", "again.yaml"}).standard_output, report.standard_output);
}

TEST_F(Cli, TheHelpOfProfileNamesItsOwnConfig) {
  const auto report = run({"profile", "--help"});
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("that of opgrade init, else minidnn"), Not(HasSubstr("--profile"))));
}

TEST_F(Cli, ProfileReadsTheConfigThatInitNotedAsCheckDoes) {
  write("noted/.opgrade", "config: no_such_config\n");
  for (const char* verb : {"check", "profile"}) {
    const auto report = run({verb, "noted"});
    EXPECT_EQ(exit_code(report), 2) << verb;
    EXPECT_THAT(report.standard_error, HasSubstr("noted/no_such_config")) << verb;
  }
}

}  // namespace
}  // namespace opgrade
