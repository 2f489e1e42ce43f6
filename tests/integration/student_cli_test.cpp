// A student's commands: the template of each term, check --watch, explain.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>
#include <yaml-cpp/yaml.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "grader/base/core/outcome.hpp"
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
using testing::MatchesRegex;

using StudentCli = test::Cli;
using SandboxedStudentCli = test::SandboxedCli;

TEST_F(StudentCli, EachTermHasItsFiles) {
  for (const auto& entry : fs::directory_iterator(OPGRADE_SOURCE_DIR "/configs/terms")) {
    const std::string term = entry.path().stem();
    const auto made = run({"init", term, "--term", term});
    ASSERT_EQ(exit_code(made), 0) << made.standard_error;
    const fs::path folder = place.path() / term;
    const auto checked = run({"check-config", term});
    ASSERT_EQ(exit_code(checked), 0) << "beside a folder of that name: " << checked.standard_error;
    const YAML::Node config = YAML::Load(checked.standard_output);
    std::ifstream file(folder / "README.md");
    const std::string readme{std::istreambuf_iterator<char>(file), {}};
    EXPECT_THAT(readme, HasSubstr("opgrade check . --config " + term)) << term;
    EXPECT_FALSE(fs::exists(folder / "interfaces")) << term;
    const bool zeroed = config["interface"].as<std::string>() == "mxnet";
    EXPECT_EQ(readme.find("fills `y` with NaN") == std::string::npos, zeroed) << term;
    EXPECT_EQ(readme.find("`y` is zero before each call") != std::string::npos, zeroed) << term;
    for (const auto& stage : config["stages"]) {
      for (const auto& source : stage["sources"]) {
        const auto name = source.as<std::string>();
        EXPECT_TRUE(fs::exists(folder / name)) << term << ": " << name;
        EXPECT_THAT(readme, HasSubstr("`" + name + "`")) << term;
      }
    }
  }
  EXPECT_TRUE(fs::exists(place.path() / "2019sp/new-forward.cuh"));
  EXPECT_FALSE(fs::exists(place.path() / "2019sp/cpu-new-forward.cc"));
  expect_error(run({"init", "new", "--term", "1999fa"}), 2, "there is no term '1999fa'");
  EXPECT_FALSE(fs::exists(place.path() / "new"));
}

TEST_F(StudentCli, TheTemplateHasAWorkflowAndAnEditorSetup) {
  for (const std::string term : {"", "2026sp", "2020fa", "2023fa", "2019fa"}) {
    const fs::path folder = "mine" + term;
    std::vector<std::string> arguments{"init", folder};
    if (!term.empty()) arguments.insert(arguments.end(), {"--term", term});
    ASSERT_EQ(exit_code(run(arguments)), 0);
    const auto workflow =
        YAML::LoadFile(place.path() / folder / ".github/workflows/opgrade.yml")["jobs"]["check"];
    EXPECT_THAT(workflow["steps"][2]["run"].as<std::string>(),
                HasSubstr("--config " + (term.empty() ? "self-check" : term) + " "));
    const auto clangd = YAML::LoadAllFromFile(place.path() / folder / ".clangd");
    ASSERT_EQ(clangd.size(), 2U);
    std::string headers = clangd[1]["CompileFlags"]["Add"][2].as<std::string>();
    ASSERT_TRUE(headers.starts_with("-I"));
    EXPECT_TRUE(fs::exists(fs::path(headers.substr(2)) / "opgrade_emulation/editor.hpp"))
        << headers;
  }
}

TEST_F(StudentCli, ClangdReadsTheReferenceSolution) {
  fs::path clangd;
  for (const char* name : {"/usr/bin/clangd", "/usr/bin/clangd-14"})
    if (fs::exists(name)) clangd = name;
  OPGRADE_SKIP_UNLESS("clangd", !clangd.empty(), "no clangd here");
  ASSERT_EQ(exit_code(run({"init", "mine"})), 0);
  for (const char* file : {"cpu-new-forward.cc", "new-forward.cu"}) {
    fs::copy_file(fs::path(OPGRADE_SOURCE_DIR "/reference/solution/minidnn-3") / file,
                  place.path() / "mine" / file, fs::copy_options::overwrite_existing);
    Command command = place.command({"--check=" + (place.path() / "mine" / file).string()}, {});
    command.program = clangd;
    const auto report = run_command(command, test::kPatience);
    EXPECT_THAT(report.standard_error, HasSubstr("All checks completed, 0 errors")) << file;
    // Also where Clang finds a toolkit.
    EXPECT_EQ(
        report.standard_error.find("-include opgrade_emulation/editor.hpp") != std::string::npos,
        std::string(file).ends_with(".cu"));
  }
}

TEST_F(SandboxedStudentCli, TheTemplateOfEachInterfaceBuilds) {
  for (const char* const term : {"2019sp", "2020fa", "2023fa", "2026sp"}) {
    const YAML::Node config = YAML::Load(run({"check-config", term}).standard_output);
    EXPECT_EQ(exit_code(run({"init", term, "--term", term})), 0);
    std::string text = "opgrade: 1\nname: " + std::string(term) +
                       "\ninterface: " + config["interface"].as<std::string>() + "\nstages:\n";
    std::set<std::string> builds;  // stages that build the same files are one
    for (const auto& stage : config["stages"]) {
      std::string how =
          "device: " + std::string(stage["device"].Scalar() == "cpu" ? "cpu" : "emulated") +
          ", random_shapes: {count: 1, points: 1}";
      if (stage["sources"]) {
        how += ", sources: [";
        for (const auto& source : stage["sources"]) how += source.as<std::string>() + ", ";
        how += "]";
      }
      if (builds.insert(how).second)
        text += "  - {name: s" + std::to_string(builds.size()) + ", " + how + "}\n";
    }
    write("term.yaml", text);
    const auto report = run({"check", term, "--config", "term.yaml", "--json"});
    const json grade = json::parse(report.standard_output, nullptr, false);
    ASSERT_TRUE(grade.is_object()) << report.standard_error;
    for (const auto& stage : grade["stages"])
      EXPECT_EQ(stage["build"]["outcome"], "passed")
          << term << ": " << stage["build"]["compiler_output"].get<std::string>();
    EXPECT_EQ(grade["outcome"], "wrong_output") << term;
  }
}

TEST_F(SandboxedStudentCli, WatchChecksAgainWhenAFileIsSavedAndEndsWithTheLastExitCode) {
  const fs::path folder = place.path() / "mine", output = place.path() / "output";
  fs::copy(submission("wrong_nan"), folder, fs::copy_options::recursive);
  Command command = place.command({});
  const std::string opgrade = command.program;
  command.program = "/bin/sh";
  command.arguments = {"-c", "exec " + opgrade + " check mine --watch --config '" + kQuick +
                                 "' --seed 1 > output 2>&1"};
  ChildProcess child = ChildProcess::start(command, test::kPatience);
  const auto printed = [&](const std::string& text, int times) {
    std::string all;
    EXPECT_TRUE(test::reaches(child,
                              [&] {
                                std::ifstream file(output, std::ios::binary);
                                all = {std::istreambuf_iterator<char>(file), {}};
                                int found = 0;
                                for (auto at = all.find(text); at != all.npos;
                                     at = all.find(text, at + 1))
                                  ++found;
                                return found >= times;
                              }))
        << "never printed: " << text << "\n"
        << all;
    return all;
  };
  EXPECT_THAT(printed("waiting until a file is saved", 1), HasSubstr("FAILED"));
  fs::copy(submission("good") + "/cpu-new-forward.cc", folder / "cpu-new-forward.cc",
           fs::copy_options::overwrite_existing);
  const std::string second = printed("waiting until a file is saved", 2);
  EXPECT_THAT(second, AllOf(HasSubstr("saved: cpu-new-forward.cc"), HasSubstr("PASSED"),
                            HasSubstr(") -> passed\n"), HasSubstr("points: 0 -> 5\n")));
  ::kill(child.pid(), SIGINT);
  EXPECT_EQ(exit_code(child.finish()), 0) << "the last verdict was a pass";
  EXPECT_TRUE(fs::is_empty(place.temporary()));
}

TEST_F(StudentCli, EveryOutcomeIsExplained) {
  const auto list = run({"explain"});
  EXPECT_EQ(exit_code(list), 0);
  for (const auto& entry : kOutcomes) {
    EXPECT_THAT(list.standard_output, HasSubstr("  " + std::string(entry.id) + " "));
    const auto one = run({"explain", std::string(entry.id)});
    EXPECT_EQ(exit_code(one), 0);
    EXPECT_THAT(one.standard_output, HasSubstr("Usual causes\n"));
  }
  EXPECT_THAT(run({"explain", "wrong", "output"}).standard_output,
              testing::StartsWith("wrong output (wrong_output)\n"));
  expect_error(run({"explain", "broken"}), 2, "there is no outcome, verdict or finding 'broken'");
  expect_error(run({"explain", "data_rase"}), 2, "'data_rase'; did you mean 'data_race'?");
}

TEST_F(StudentCli, TheVersionNamesTheReleaseAndTheCommit) {
  fs::create_directories(place.path() / "share/adapters");
  const std::string share = "OPGRADE_SHARE=" + (place.path() / "share").string();
  EXPECT_THAT(run({"--version"}, {share}).standard_output,
              MatchesRegex("opgrade [0-9.]+, build [0-9a-f]{12}\n"));
  write("share/commit", "1a2b3c4d5e6f-dirty\n");
  EXPECT_THAT(run({"--version"}, {share}).standard_output,
              MatchesRegex("opgrade [0-9.]+ .commit 1a2b3c4d5e6f-dirty., build [0-9a-f]{12}\n"));
}

}  // namespace
}  // namespace opgrade
