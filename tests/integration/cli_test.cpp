// The command line: exit codes, what goes to stdout and what to stderr, and every bad input.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "grader/sandbox/sandbox.hpp"
#include "tests/support/archive_bytes.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::exit_code;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

constexpr const char* kSubmissions = OPGRADE_SOURCE_DIR "/tests/corpus/submissions";
constexpr const char* kQuick = OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml";

std::string submission(const char* name) { return std::string(kSubmissions) + "/" + name; }

class Cli : public testing::Test {
 protected:
  ProcessReport run(std::vector<std::string> arguments,
                    std::vector<std::string> environment = {}) const {
    return place.run(std::move(arguments), std::move(environment));
  }
  void write(const char* name, const std::string& text) const {
    fs::create_directories((place.path() / name).parent_path());
    std::ofstream(place.path() / name, std::ios::binary) << text;
  }
  /// A config with one case of the 86x86 network; `replace` changes words in it.
  void write_model_config(const std::string& weights, int batch) const {
    write("model.yaml",
          "opgrade: 1\nname: model\nmodels:\n  m: {network: fmnist-86, weights: " + weights +
              "}\nstages:\n  - name: cpu\n    device: cpu\n    cases: [{model: m, batch: " +
              std::to_string(batch) + ", points: 5}]\n");
  }
  /// One clear error: a message with a hint, nothing on stdout, this exit code.
  void expect_error(const ProcessReport& report, int code, const std::string& message) const {
    EXPECT_EQ(exit_code(report), code) << report.standard_error << report.standard_output;
    EXPECT_EQ(report.standard_output, "");
    EXPECT_THAT(report.standard_error, HasSubstr(message));
    EXPECT_LE(std::count(report.standard_error.begin(), report.standard_error.end(), '\n'), 2)
        << report.standard_error;
  }

  test::Workplace place;
};

class SandboxedCli : public Cli {
 protected:
  void SetUp() override {
    static const bool works = SandboxSupport::detect().tier != SandboxTier::none;
    OPGRADE_SKIP_UNLESS("sandbox", works, "no sandbox here");
  }
};

// Exit codes -----------------------------------------------------------------------------------

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

TEST_F(SandboxedCli, ASanitizerThatIsNotRunIsToldOf) {
  const auto report = run({"check", submission("missing_file"), "--device", "emulated",
                           "--sanitize", "--only", "gpu/random"});
  EXPECT_THAT(report.standard_output, HasSubstr("compute-sanitizer needs a GPU"));
}

TEST_F(SandboxedCli, AFolderThatIsADotHasAName) {
  fs::copy(submission("missing_file"), place.path() / "ada", fs::copy_options::recursive);
  Command command = place.command({"check", ".", "--config", kQuick});
  command.working_folder = place.path() / "ada";
  EXPECT_THAT(run_command(command, {}).standard_output, testing::StartsWith("ada "));
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
  EXPECT_THAT(table.standard_output, AllOf(HasSubstr("\nada_b,,,0,0,3,0,3,"), HasSubstr("\nbob c,"),
                                           testing::Not(HasSubstr("ada b"))));
  std::ofstream(place.path() / "points.csv")
      << "\xEF\xBB\xBFsubmission,item,points\r\nada b,Quizz,3\r\n";
  expect_error(run(rank), 2, "'ada b,Quizz,3': the config has no open item 'Quizz', only: Quiz 1");
  std::ofstream(place.path() / "names.txt") << "id,login,name\n1,ada,Ada\n";
  expect_error(run(rank), 2, "names.txt: 'id,login,name' is no name of a result");
}

TEST_F(Cli, TheHelpNamesTheConfigThatIsTaken) {
  EXPECT_THAT(run({"grade", "--help"}).standard_output, HasSubstr("TEXT=minidnn"));
  EXPECT_THAT(run({"check", "--help"}).standard_output, HasSubstr("TEXT=self-check"));
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

// What a user names wrongly --------------------------------------------------------------------

TEST_F(Cli, AConfigWithProblemsListsThemAllWithTheirPlaces) {
  write("bad.yaml",
        "opgrade: 1\nname: bad\nname: again\npas_mark: 3\ntolerance: .nan\n"
        "limits: {run: {wall: -5 s}}\nmodels: {m: {network: n, weights: w}}\nstages:\n"
        "  - {name: cpu, device: cpu, cases: [{model: other, batch: 1}]}\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"check-config", "bad.yaml"},
        {"check", ".", "--config", "bad.yaml"},
        {"grade", ".", "--config", "bad.yaml"}}) {
    const auto report = run(arguments);
    EXPECT_EQ(exit_code(report), 2);
    EXPECT_EQ(report.standard_output, "");
    EXPECT_THAT(report.standard_error,
                AllOf(HasSubstr("bad.yaml:3:1: 'name' is given twice"),
                      HasSubstr("bad.yaml:4:1: unknown key 'pas_mark' in the config; did you mean "
                                "'pass_mark'?"),
                      HasSubstr("bad.yaml:5:12: 'tolerance' must be a finite number"),
                      HasSubstr("bad.yaml:6:22: 'wall' must be a time"),
                      HasSubstr("bad.yaml:9:46: unknown model 'other'")));
  }
}

TEST_F(Cli, WhatIsNamedDoesNotWriteToTheTerminal) {
  const std::string escape = "\x1b[2J";
  write((escape + ".yaml").c_str(), "opgrade: 1\n\"\\e[31mkey\": 1\n");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"check-config", escape + ".yaml"},
        {"check-config", escape},
        {"check", escape + "\u202e"},
        {"show", escape}}) {
    const auto report = run(arguments);
    EXPECT_EQ(exit_code(report), 2);
    EXPECT_THAT(report.standard_error + report.standard_output,
                AllOf(Not(HasSubstr("\x1b")), Not(HasSubstr("\u202e")), HasSubstr("\\x1b[2J")));
  }
}

TEST_F(Cli, ConfigThatIsNotThere) {
  expect_error(run({"check", ".", "--config", "missing.yaml"}), 2, "missing.yaml: cannot be read");
  const auto unknown = run({"check", ".", "--config", "minidn"});
  expect_error(unknown, 2, "there is no file 'minidn', nor has opgrade a config of that name");
  EXPECT_THAT(unknown.standard_error,
              AllOf(HasSubstr(" minidnn, self-check"), HasSubstr("2025fa, ")));
  expect_error(run({"chek", "."}), 2, "there is no verb 'chek'; did you mean 'check'?");
  const auto by_name = run({"check", ".", "--config", "no-such-name"});
  EXPECT_EQ(exit_code(by_name), 2);
  EXPECT_THAT(by_name.standard_error, HasSubstr("no-such-name"));
}

TEST_F(Cli, UnknownInterface) {
  write("c.yaml",
        "opgrade: 1\nname: c\ninterface: minidnn-4\nstages:\n"
        "  - {name: cpu, device: cpu, random_shapes: {count: 1}}\n");
  expect_error(run({"check", submission("good"), "--config", "c.yaml"}), 2,
               "unknown interface 'minidnn-4'");
  expect_error(run({"check-config", "c.yaml"}), 2, "unknown interface 'minidnn-4'");
}

TEST_F(SandboxedCli, BatchLargerThanTheDataSet) {
  write_model_config("fmnist-86-high", 10'001);
  for (const char* verb : {"check", "grade"}) {
    expect_error(run({verb, submission("good"), "--config", "model.yaml"}), 2,
                 "batch 10001 is larger than the data set");
  }
}

TEST_F(SandboxedCli, WeightsThatAreMissingDamagedOrOfAnotherNetwork) {
  write_model_config("./missing.h5", 1);
  expect_error(run({"check", submission("good"), "--config", "model.yaml"}), 2, "missing.h5");
  const fs::path own = OPGRADE_SOURCE_DIR "/reference/models/fmnist-86-high.h5";
  fs::copy(own, place.path() / "cut.h5");
  fs::resize_file(place.path() / "cut.h5", fs::file_size(own) / 2);
  write_model_config("./cut.h5", 1);
  expect_error(run({"check", submission("good"), "--config", "model.yaml"}), 2, "cut.h5");
  write("text.h5", "these are no weights");
  write_model_config("./text.h5", 1);
  expect_error(run({"check", submission("good"), "--config", "model.yaml"}), 2, "text.h5");
  write_model_config("fmnist-28-high", 1);
  expect_error(run({"check", submission("good"), "--config", "model.yaml"}), 2, "fmnist-28");
}

TEST_F(Cli, AModelThatCannotBeFoundIsAProblemOfTheConfig) {
  const auto config = [](const std::string& network, const std::string& weights) {
    return "opgrade: 1\nname: model\nmodels:\n  m:\n    network: " + network +
           "\n    weights: " + weights +
           "\nstages:\n  - {name: cpu, device: cpu, cases: [{model: m, batch: 1}]}\n";
  };
  const auto said = [&](const std::string& verb) {
    const auto report = verb == "check-config" ? run({verb, "course/model.yaml"})
                                               : run({verb, ".", "--config", "course/model.yaml"});
    EXPECT_EQ(exit_code(report), 2) << verb;
    EXPECT_EQ(report.standard_output, "") << verb;
    return report.standard_error;
  };
  write("course/model.yaml", config("fmnist86", "fmnist-86-hihg"));
  for (const char* verb : {"check-config", "check", "grade"}) {
    EXPECT_THAT(said(verb),
                AllOf(HasSubstr("course/model.yaml:5:14: 'network': opgrade has no network "
                                "'fmnist86'; did you mean 'fmnist-86'?"),
                      HasSubstr("course/model.yaml:6:14: 'weights': opgrade has no weights file "
                                "'fmnist-86-hihg'; did you mean 'fmnist-86-high'?")));
  }
  // In the folder of the config, not in the working directory.
  write("course/nets/mine.yaml", "");
  write("lost.h5", "");
  write("course/model.yaml", config("./nets/mina.yaml", "./lost.h5"));
  EXPECT_THAT(said("check-config"),
              AllOf(HasSubstr("course/nets/mina.yaml; did you mean './nets/mine.yaml'?"),
                    HasSubstr(":6:14: 'weights': there is no file "), HasSubstr("course/lost.h5")));
  write("course/lost.h5", "");
  write("course/model.yaml", config("fmnist-86", "lost"));
  EXPECT_THAT(said("check-config"),
              HasSubstr("opgrade has no weights file 'lost'; for the file beside the config, write "
                        "./lost.h5"));
  // The data set is made when it is needed.
  write("course/model.yaml", config("fmnist-86", "fmnist-86-high"));
  EXPECT_EQ(exit_code(run({"check-config", "course/model.yaml"},
                          {"OPGRADE_DATA=" + (place.path() / "empty").string()})),
            0);
}

TEST_F(SandboxedCli, OnlyWhatThereIs) {
  const auto report =
      run({"check", submission("good"), "--config", kQuick, "--only", "gpu/random"});
  expect_error(report, 2, "--only gpu/random: the config has no such case or stage");
  EXPECT_THAT(report.standard_error, HasSubstr("cpu/random"));
  EXPECT_EQ(exit_code(run({"check", submission("good"), "--config", kQuick, "--only", "cpu"})), 0);
  const auto one = run({"check", submission("good"), "--only", "cpu/random"});
  EXPECT_EQ(exit_code(one), 0) << "the mark of the self-check needs more than this case has";
  EXPECT_THAT(one.standard_output, HasSubstr("50 of 50 points (50 to pass)"));
}

TEST_F(SandboxedCli, RootOfAUserNamespaceCanGrade) {
  Command command = place.command({});
  const std::string opgrade = command.program;
  command.program = "/usr/bin/unshare";
  command.arguments = {"--map-root-user", opgrade, "check", submission("good"), "--config", kQuick};
  const auto report = run_command(command, {.wall = std::chrono::minutes(1)});
  OPGRADE_SKIP_UNLESS("userns", report.standard_error.find("unshare:") == std::string::npos,
                      "no user namespaces here: " + report.standard_error);
  EXPECT_EQ(exit_code(report), 0) << report.standard_error << report.standard_output;
}

TEST_F(SandboxedCli, ADamagedDataSetIsTheMachinesFault) {
  write_model_config("fmnist-86-high", 1);
  fs::create_directory(place.path() / "data");
  fs::copy(OPGRADE_BINARY_DIR "/data/fmnist-86.h5", place.path() / "data/fmnist-86.h5");
  fs::resize_file(place.path() / "data/fmnist-86.h5", 1'000'000);
  expect_error(run({"check", submission("good"), "--config", "model.yaml", "--data", "data"}), 3,
               "data/fmnist-86.h5");
}

TEST_F(Cli, FilesForOtherVerbs) {
  expect_error(run({"data", "--images", "no-images", "--labels", "no-labels", "-o", "d.h5"}), 2,
               "no-images");
  EXPECT_FALSE(fs::exists(place.path() / "d.h5"));
  expect_error(run({"import", "no-weights.bin", "-o", "w.h5"}), 2, "no-weights.bin");
  write("short.bin", "too short");
  expect_error(run({"import", "short.bin", "-o", "w.h5"}), 2, "short.bin");
  EXPECT_FALSE(fs::exists(place.path() / "w.h5"));
  fs::create_directory(place.path() / "empty");
  expect_error(run({"show", "empty"}), 2, "empty");
  write("full/file", "mine");
  expect_error(run({"init", "full"}), 2, "full is not empty");
}

// Submissions that are no submission -------------------------------------------------------------

TEST_F(SandboxedCli, AnEmptyFolderIsRefusedWithWhatIsMissing) {
  fs::create_directory(place.path() / "empty");
  const auto report = run({"check", "empty", "--config", kQuick});
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(report.standard_output, HasSubstr("cpu-new-forward.cc is missing"));
}

TEST_F(SandboxedCli, AnUnreadableFileIsRefusedAndAnOrdinaryUserCanGrade) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root, to make a file that another user cannot read";
  fs::copy(submission("good"), place.path() / "good", fs::copy_options::recursive);
  fs::copy(submission("good"), place.path() / "closed", fs::copy_options::recursive);
  ::chmod((place.path() / "closed/cpu-new-forward.cc").c_str(), 0);
  ::chmod(place.temporary().c_str(), 01777);
  const auto as_nobody = [&](const char* name) {
    Command command = place.command({"check", name, "--config", kQuick});
    command.drop_to_nobody = true;
    return run_command(command, {.wall = std::chrono::minutes(1)});
  };
  const auto good = as_nobody("good");
  OPGRADE_SKIP_UNLESS("sandbox", good.standard_error.find("no sandbox here") == std::string::npos,
                      "no sandbox for ordinary users here");
  EXPECT_EQ(exit_code(good), 0) << good.standard_error << good.standard_output;
  const auto closed = as_nobody("closed");
  EXPECT_EQ(exit_code(closed), 1) << closed.standard_error;
  EXPECT_THAT(closed.standard_output, HasSubstr("cannot be read: Permission denied"));
}

TEST_F(SandboxedCli, TheTemplateAsItIsHandedOutIsWrongNotBroken) {
  EXPECT_EQ(exit_code(run({"init", "mine"})), 0);
  EXPECT_TRUE(fs::exists(place.path() / "mine/cpu-new-forward.cc"));
  EXPECT_TRUE(fs::exists(place.path() / "mine/new-forward.cu"));
  const auto report = run({"check", "mine", "--config", kQuick});
  EXPECT_EQ(exit_code(report), 1);
  EXPECT_THAT(report.standard_output, HasSubstr("no element was written"));
}

// The machine ------------------------------------------------------------------------------------

TEST_F(SandboxedCli, FullDisk) {
  fs::create_directory(place.path() / "small");
  Command command = place.command({});
  const std::string opgrade = command.program;
  command.program = "/usr/bin/unshare";
  command.arguments = {"--mount", ::geteuid() == 0 ? "--fork" : "--map-root-user", "sh", "-c",
                       "mount -t tmpfs -o size=16k none small 2>&1 && exec " + opgrade +
                           " grade '" + submission("not_compiling") + "' --config '" + kQuick +
                           "' --out small/results"};
  const auto report = run_command(command, {.wall = std::chrono::minutes(1)});
  OPGRADE_SKIP_UNLESS(
      "mount",
      report.standard_output.find("mount:") == std::string::npos &&
          report.standard_error.find("unshare:") == std::string::npos,
      "cannot mount a small disk here: " + report.standard_output + report.standard_error);
  EXPECT_EQ(exit_code(report), 3) << report.standard_output << report.standard_error;
  EXPECT_THAT(report.standard_error,
              AllOf(HasSubstr("cannot write"), HasSubstr("No space left on device")));
}

TEST_F(Cli, AResultThatCannotBePrintedIsNotLostSilently) {
  Command command = place.command({});
  const std::string opgrade = command.program;
  command.program = "/bin/sh";
  for (const char* arguments : {"check-config self-check", "--help", "doctor"}) {
    command.arguments = {"-c", opgrade + " " + arguments + " > /dev/full"};
    const auto report = run_command(command, {});
    EXPECT_EQ(exit_code(report), 3) << arguments << report.standard_error;
    EXPECT_THAT(report.standard_error, HasSubstr("No space left on device")) << arguments;
  }
}

TEST_F(SandboxedCli, NoPlaceForTemporaryFiles) {
  expect_error(run({"check", submission("good"), "--config", kQuick}, {"TMPDIR=/proc"}), 3,
               "cannot make a folder like /proc/");
  const auto none = run({"check", submission("good"), "--config", kQuick}, {"TMPDIR=/nowhere"});
  expect_error(none, 3, "no folder for temporary files: /nowhere: No such file");
  EXPECT_THAT(none.standard_error, HasSubstr("-> set TMPDIR"));
}

TEST_F(SandboxedCli, NoPlaceForTheDataSet) {
  const auto report =
      run({"check", submission("good"), "--only", "cpu/high/100", "--data", "/proc/nope"});
  expect_error(report, 3, "cannot make the data folder /proc/nope");
  EXPECT_THAT(report.standard_error, HasSubstr("-> name one that can be written"));
  expect_error(run({"data", "--out", "/proc/nope/x.h5"}), 3,
               "cannot make the data folder /proc/nope");
}

// opgrade finds its own files through /proc, so that without one the emulated device is not found,
// which is not the same as not being there.
TEST_F(Cli, TheDoctorSaysThatThereIsNoProc) {
  if (std::getenv("OPGRADE_PROGRAM") != nullptr)
    GTEST_SKIP() << "the sanitizers need /proc themselves";
  Command command = place.command({});
  command.arguments = {"--dev-bind", "/", "/", "--tmpfs", "/proc", command.program, "doctor"};
  command.program = "/usr/bin/bwrap";
  const auto report = run_command(command, {.wall = std::chrono::minutes(1)});
  OPGRADE_SKIP_UNLESS("mount", report.standard_output != "",
                      "cannot hide /proc here: " + report.standard_error);
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("emulated device    cannot read /proc/self/exe"),
                    HasSubstr("-> mount /proc"), Not(HasSubstr("\n\n"))));
}

TEST_F(Cli, TheDoctorSaysWhereTheEmulatedDeviceIsMissing) {
  Command command = place.command({"doctor"});
  fs::copy_file(command.program, place.path() / "opgrade");
  command.program = place.path() / "opgrade";
  const auto report = run_command(command, {.wall = std::chrono::minutes(1)});
  EXPECT_THAT(report.standard_output,
              HasSubstr("emulated device    opgrade-cucc is not in " + place.path().string()));
}

TEST_F(Cli, AnIncompleteInstallationSaysSo) {
  expect_error(run({"init", "new"}, {"OPGRADE_SHARE=/nowhere"}), 3, "");
  EXPECT_FALSE(fs::exists(place.path() / "new/cpu-new-forward.cc"));
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

// Output ------------------------------------------------------------------------------------------

TEST_F(SandboxedCli, JsonIsAllOfStdout) {
  const auto one = run({"check", submission("wrong_nan"), "--config", kQuick, "--json"});
  const json report = json::parse(one.standard_output, nullptr, false);
  ASSERT_TRUE(report.is_object()) << one.standard_output;
  EXPECT_EQ(report["outcome"], "wrong_output");
  const auto list =
      run({"grade", submission("good"), submission("missing_file"), "--config", kQuick, "--json"});
  const json reports = json::parse(list.standard_output, nullptr, false);
  ASSERT_TRUE(reports.is_array());
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0]["outcome"], "passed");
  EXPECT_EQ(reports[1]["outcome"], "refused");
}

TEST_F(SandboxedCli, ProgressIsOnStderrAndCanBeQuiet) {
  const auto report = run({"grade", submission("missing_file"), "--config", kQuick});
  EXPECT_THAT(report.standard_error, HasSubstr("[1/1] missing_file: refused"));
  EXPECT_THAT(report.standard_output, Not(HasSubstr("[1/1]")));
  EXPECT_EQ(run({"grade", submission("missing_file"), "--config", kQuick, "-q"}).standard_error,
            "");
}

TEST_F(SandboxedCli, TheCommandOfAReportRepeatsTheCase) {
  const auto first = run({"check", submission("wrong_shifted"), "--config", kQuick, "--json"});
  const json c = json::parse(first.standard_output)["stages"][0]["cases"][0];
  Command command = place.command({});
  const std::string opgrade = command.program;
  command.program = "/bin/sh";
  const std::string repeat = c["repeat_command"];
  ASSERT_TRUE(repeat.starts_with("opgrade check ")) << repeat;
  command.arguments = {"-c", opgrade + repeat.substr(7) + " --json"};
  const auto again = run_command(command, {.kept_bytes = 1 << 20});
  const json repeated = json::parse(again.standard_output)["stages"][0]["cases"];
  ASSERT_EQ(repeated.size(), 1U) << repeat;
  EXPECT_EQ(repeated[0]["reason"], c["reason"]);
  EXPECT_EQ(repeated[0]["convs"].back()["shape"], c["convs"].back()["shape"]);
}

TEST_F(SandboxedCli, ShowPrintsAStoredResultInEveryFormat) {
  run({"grade", submission("missing_file"), "--config", kQuick});
  for (const auto& [format, word] : {std::pair{"text", "is missing"},
                                     {"json", "\"refused\""},
                                     {"junit", "<testsuite"},
                                     {"html", "<html"},
                                     {"transcript", "=="},
                                     {"github", "::error"},
                                     {"summary", "missing"},
                                     {"gradescope", "\"tests\""}}) {
    const auto report = run({"show", "results/missing_file", "--format", format});
    EXPECT_EQ(exit_code(report), 0) << format << report.standard_error;
    if (std::string(format) == "transcript") continue;  // nothing ran, so there is nothing in it
    EXPECT_THAT(report.standard_output, HasSubstr(word)) << format;
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
              AllOf(HasSubstr("--config TEXT=minidnn"), Not(HasSubstr("--profile"))));
}

TEST_F(Cli, DoctorSaysWhatIsThere) {
  const auto report = run({"doctor"});
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("C++ compiler"), HasSubstr("CUDA toolkit"), HasSubstr("GPU"),
                    HasSubstr("sandbox"), HasSubstr("data")));
  EXPECT_EQ(report.standard_error, "");
}

TEST_F(Cli, TheDoctorTriesTheDataFolder) {
  write("file", "");
  const std::string folder = place.path() / "file/data";
  const auto report = run({"doctor"}, {"OPGRADE_DATA=" + folder});
  EXPECT_EQ(exit_code(report), 3);
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr(folder + " cannot be written"), HasSubstr("-> set OPGRADE_DATA")));
}

TEST_F(Cli, TheDoctorCallsATierThatGradesWeakerAndNotMissing) {
  const auto report = run({"doctor"}, {"OPGRADE_SANDBOX_WITHOUT=cgroup,userns"});
  OPGRADE_SKIP_UNLESS("landlock", exit_code(report) == 0, "no Landlock here");
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("weaker   sandbox            tier 'no user namespaces'\n"),
                    Not(HasSubstr("MISSING  sandbox"))));
}

// A stand-in for the driver's management library knows two devices, of 9.0 and 8.6.
TEST_F(Cli, DoctorNamesTheDevicesAndWhatIsBuiltForThem) {
  if (fs::exists("/proc/driver/nvidia/gpus")) GTEST_SKIP() << "there is a GPU";
  const auto report = run({"doctor"}, {"LD_LIBRARY_PATH=" OPGRADE_BINARY_DIR "/tests/fake_nvml"});
  EXPECT_THAT(report.standard_output,
              AllOf(HasSubstr("Fake A (GPU-11111111-aa)"), HasSubstr("Fake B (GPU-22222222-bb)")));
  OPGRADE_SKIP_UNLESS("nvcc", report.standard_output.find("no nvcc") == std::string::npos,
                      "no CUDA toolkit");
  EXPECT_THAT(report.standard_output, HasSubstr(", builds for sm_86\n"));
}

TEST_F(SandboxedCli, AGpuStageWithoutAGpuIsNotRunNeitherPassedNorFailed) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU";
  write("gpu.yaml",
        "opgrade: 1\nname: gpu\npass_mark: 5\nstages:\n"
        "  - {name: cpu, device: cpu, random_shapes: {count: 1, points: 5}}\n"
        "  - {name: gpu, device: cuda, random_shapes: {count: 1, points: 7}}\n");
  const auto report =
      run({"check", submission("good"), "--config", "gpu.yaml", "--device", "cuda", "--json"});
  EXPECT_EQ(exit_code(report), 0);
  const json grade = json::parse(report.standard_output);
  EXPECT_EQ(grade["outcome"], "passed");
  EXPECT_EQ(grade["open_points"], 7);
  const json& c = grade["stages"][1]["cases"][0];
  EXPECT_EQ(c["outcome"], "not_run");
  EXPECT_THAT(c["reason"].get<std::string>(), HasSubstr("no GPU"));
  EXPECT_EQ(c["points"][0]["open"], true);
}

// `make demo` builds none of them there.
TEST_F(SandboxedCli, WithoutAGpuTheGpuPartsAreNotNeeded) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU";
  write("gpu.yaml",
        "opgrade: 1\nname: gpu\nstages:\n"
        "  - {name: gpu, device: cuda, random_shapes: {count: 1, points: 7}}\n");
  Command command = place.command({"check", OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3",
                                   "--config", "gpu.yaml", "--json"},
                                  {"OPGRADE_SHARE=" OPGRADE_BINARY_DIR "/share/opgrade"});
  const fs::path bin = place.path() / "bin";
  fs::create_directory(bin);
  fs::copy_file(command.program, bin / "opgrade");
  for (const char* helper : {"opgrade-harness", "opgrade-cucc"})
    fs::create_symlink(fs::path(OPGRADE_BINARY_DIR "/bin") / helper, bin / helper);
  command.program = bin / "opgrade";
  const auto report = run_command(command, {.wall = std::chrono::minutes(3)});
  EXPECT_EQ(exit_code(report), 0) << report.standard_error;
  EXPECT_EQ(json::parse(report.standard_output, nullptr, false)["outcome"], "passed");
}

TEST_F(SandboxedCli, WhereNothingCouldBeRunNothingHasPassed) {
  if (fs::exists("/dev/nvidiactl")) GTEST_SKIP() << "there is a GPU";
  write("gpu.yaml",
        "opgrade: 1\nname: gpu\nstages:\n"
        "  - {name: gpu, device: cuda, random_shapes: {count: 1, points: 7}}\n");
  for (const std::vector<std::string>& verb :
       {std::vector<std::string>{"check"},
        {"grade", "--out", (place.path() / "results").string()}}) {
    auto words = verb;
    words.insert(words.end(), {submission("good"), "--config", "gpu.yaml", "--device", "cuda"});
    EXPECT_EQ(exit_code(run(words)), 3) << verb.front();
  }
}

/// What the program prints on a terminal of 100 columns.
std::string on_a_terminal(const Command& command) {
  const winsize size{.ws_row = 50, .ws_col = 100};
  int terminal = -1;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    std::vector<char*> arguments{const_cast<char*>(command.program.c_str())};
    for (const auto& a : command.arguments) arguments.push_back(const_cast<char*>(a.c_str()));
    std::vector<char*> environment;
    for (const auto& e : command.environment) environment.push_back(const_cast<char*>(e.c_str()));
    arguments.push_back(nullptr);
    environment.push_back(nullptr);
    if (::chdir(command.working_folder.c_str()) == 0)
      ::execve(command.program.c_str(), arguments.data(), environment.data());
    ::_exit(127);
  }
  std::string text;
  char buffer[4096];
  for (ssize_t n; (n = ::read(terminal, buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  return text;
}

TEST_F(SandboxedCli, ATerminalIsToldOfTheTurnBeforeTheRun) {
  const auto text =
      on_a_terminal(place.command({"check", submission("good"), "--only", "cpu"}, {"TERM=xterm"}));
  const auto waits = text.find("cpu/high/100: waiting for its turn");
  EXPECT_NE(waits, text.npos) << text;
  EXPECT_LT(waits, text.find("cpu/high/100: running")) << text;
  EXPECT_EQ(text.find("cpu/random: waiting"), text.npos) << "it is not timed";
}

TEST_F(SandboxedCli, ColourOnlyOnATerminalThatWantsIt) {
  const std::vector<std::string> show{"show", "results/missing_file"};
  run({"grade", submission("missing_file"), "--config", kQuick});
  EXPECT_THAT(run(show).standard_output, Not(HasSubstr("\x1b"))) << "a pipe";
  const auto with = [&](std::vector<std::string> environment) {
    return on_a_terminal(place.command(show, std::move(environment)));
  };
  EXPECT_THAT(with({"TERM=xterm"}), HasSubstr("\x1b["));
  EXPECT_THAT(with({"TERM=xterm", "NO_COLOR=1"}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(with({"TERM=dumb"}), Not(HasSubstr("\x1b")));
  EXPECT_THAT(with({"TERM=xterm", "NO_COLOR="}), HasSubstr("\x1b["))
      << "an empty NO_COLOR does not count (no-color.org)";
}

TEST_F(SandboxedCli, ProgressLineOnATerminalIsCleared) {
  const auto text = on_a_terminal(place.command(
      {"check", submission("missing_file"), "--config", kQuick}, {"TERM=xterm", "NO_COLOR=1"}));
  EXPECT_THAT(text, HasSubstr("is missing"));
  const auto dumb = on_a_terminal(
      place.command({"check", submission("good"), "--config", kQuick}, {"TERM=dumb"}));
  EXPECT_THAT(dumb, Not(HasSubstr("\x1b")));
}

}  // namespace
}  // namespace opgrade
