// Results on stdout, progress on stderr; formats, colours and the line of a terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "grader/report/formats/exporters.hpp"
#include "tests/integration/cli_fixture.hpp"

namespace opgrade {
namespace {

using nlohmann::json;
using test::exit_code;
using test::kQuick;
using test::SandboxedCli;
using test::submission;
using testing::HasSubstr;
using testing::Not;

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

TEST_F(SandboxedCli, ProgressAsJsonHasALineForEachEventAndTheOutcomesOfTheReport) {
  write("two.yaml",
        "opgrade: 1\nname: two\nlimits: {run: {wall: 2 s}}\nstages:\n"
        "  - name: cpu\n    device: cpu\n    random_shapes: {count: 1, points: 1}\n"
        "    fixed_shapes: {points: 1, shapes: [{B: 1, M: 1, C: 1, H: 3, W: 3, K: 3}]}\n");
  const auto report = run({"check", submission("endless_loop"), "--config", "two.yaml", "--json",
                           "--progress", "json"});
  std::istringstream lines(report.standard_error);
  std::vector<std::string> names;
  std::map<std::string, std::string> told, reported;
  for (std::string line; std::getline(lines, line);) {
    const json event = json::parse(line, nullptr, false);
    ASSERT_TRUE(event.is_object()) << line;
    names.push_back(event.at("event"));
    if (names.back() == "case_finished") told[event.at("id")] = event.at("outcome");
  }
  EXPECT_THAT(names, testing::IsSupersetOf({"build_started", "build_finished", "case_started"}));
  const json grade = json::parse(report.standard_output);
  for (const json& c : grade["stages"][0]["cases"]) reported[c["id"]] = c["outcome"];
  EXPECT_EQ(reported.size(), 2U);
  EXPECT_EQ(told, reported) << "also of a case that is skipped after a time limit";
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
  const auto again = run_command(command, test::kPatience);
  const json repeated = json::parse(again.standard_output)["stages"][0]["cases"];
  ASSERT_EQ(repeated.size(), 1U) << repeat;
  EXPECT_EQ(repeated[0]["reason"], c["reason"]);
  EXPECT_EQ(repeated[0]["convs"].back()["shape"], c["convs"].back()["shape"]);
}

TEST_F(SandboxedCli, ShowPrintsAStoredResultInEveryFormat) {
  run({"grade", submission("missing_file"), "--config", kQuick});
  std::map<std::string, std::string> expected{
      {"text", "is missing"}, {"json", "\"refused\""}, {"junit", "<testsuite"},
      {"html", "<html"},      {"github", "::error"},   {"summary", "missing"},
      {"csv", "refused"},     {"sarif", "2.1.0"},      {"gradescope", "\"tests\""}};
  for (const report::Exporter& e : report::exporters()) {
    const std::string format(e.name);
    const auto shown = run({"show", "results/missing_file", "--format", format});
    EXPECT_EQ(exit_code(shown), 0) << format << shown.standard_error;
    EXPECT_THAT(shown.standard_output, HasSubstr(expected[format])) << format;
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

TEST_F(SandboxedCli, ATerminalHasAClockWhileAnEndlessLoopRuns) {
  const auto text = on_a_terminal(
      place.command({"check", submission("endless_loop"), "--config", kQuick}, {"TERM=xterm"}));
  EXPECT_TRUE(std::regex_search(text, std::regex("cpu/random: running, [0-9]+ s"))) << text;
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
