// Configs, models, files and submissions that a user names wrongly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/integration/cli_fixture.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using test::Cli;
using test::exit_code;
using test::kQuick;
using test::SandboxedCli;
using test::submission;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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
              AllOf(HasSubstr(" minidnn,"), HasSubstr(" self-check"), HasSubstr("2025fa, ")));
  expect_error(run({"chek", "."}), 2, "there is no verb 'chek'; did you mean 'check'?");
  const auto by_name = run({"check", ".", "--config", "no-such-name"});
  EXPECT_EQ(exit_code(by_name), 2);
  EXPECT_THAT(by_name.standard_error, HasSubstr("no-such-name"));
}

TEST_F(Cli, ASourceFileIsNoSubmission) {
  const auto report = run({"check", submission("good") + "/cpu-new-forward.cc"});
  expect_error(report, 2, "good/cpu-new-forward.cc is a file");
  EXPECT_THAT(report.standard_error, HasSubstr("-> opgrade check " + submission("good") + "\n"));
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

TEST_F(Cli, AConfigIsCheckedAgainstItsModelsAndData) {
  const auto checked = [&](const std::string& c, int code) {
    write("c.yaml",
          "opgrade: 1\nname: c\npass_mark: 4\nmodels:\n"
          "  m: {network: fmnist-86, weights: fmnist-86-high}\nstages:\n"
          "  - name: cpu\n    device: cpu\n    random_shapes: {count: 1, points: 2}\n"
          "    open_items: [{name: Report, points: 3}]\n    cases: [{model: m, " +
              c + "}]\n");
    const auto report = run({"check-config", "c.yaml"});
    EXPECT_EQ(exit_code(report), code) << report.standard_error;
    EXPECT_EQ(report.standard_output.empty(), code != 0);
    return report.standard_error;
  };
  EXPECT_THAT(checked("batch: 10001", 2),
              HasSubstr("c.yaml: cpu/m/10001: batch 10001 is larger than the data set"));
  EXPECT_THAT(checked("batch: 100, accuracy: 0.5", 2),
              HasSubstr("c.yaml: cpu/m/100: 'accuracy' is 0.5, but the model 'm' has 0.86 (86 of "
                        "100 images)"));
  EXPECT_THAT(checked("batch: 1000, accuracy: 0.886, points: 5", 0),
              HasSubstr("files of cpu: cpu-new-forward.cc\n"
                        "points of cpu: 10: cases 5, random shapes 2, by staff 3\n"
                        "points of all: 10; 4 to pass\n"));
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
    return run_command(command, test::kPatience);
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

}  // namespace
}  // namespace opgrade
