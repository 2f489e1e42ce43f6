// The scripts that `opgrade bundle` packs, run as the platforms run them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/archive_bytes.hpp"
#include "tests/support/must_run.hpp"
#include "tests/support/opgrade_program.hpp"
#include "tests/support/sandboxed.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const fs::path kSubmissionFolders = OPGRADE_SOURCE_DIR "/tests/corpus/submissions";
constexpr const char* kCliConfig = OPGRADE_SOURCE_DIR "/tests/configs/cli.yaml";

std::string content(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

void put(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

class BundleCli : public testing::Test {
 protected:
  void SetUp() override {
    OPGRADE_SKIP_UNLESS("sandbox", test::sandboxed(), "there is no sandbox here");
  }

  void bundle(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "bundle");
    arguments.insert(arguments.end(), {"--config", kCliConfig});
    const auto report = place.run(arguments);
    ASSERT_EQ(test::exit_code(report), 0) << report.standard_error;
  }

  ProcessReport shell(const std::string& line, const std::vector<std::string>& environment = {}) {
    Command command = place.command({"-c", line}, environment);
    command.program = "/bin/bash";
    const std::string path =
        std::string("PATH=") + OPGRADE_BINARY_DIR "/bin:" + std::getenv("PATH");
    std::erase_if(command.environment, [](const auto& v) { return v.starts_with("PATH="); });
    command.environment.push_back(path);
    return run_command(command, test::kPatience);
  }

  test::Workplace place;
};

TEST_F(BundleCli, GradescopeGetsItsResults) {
  bundle({"gradescope", "--late-percent", "10", "--late-days", "5", "--out", "a.zip"});
  const fs::path root = place.path() / "autograder";
  fs::create_directories(root / "source");
  ASSERT_EQ(
      test::exit_code(shell("cd autograder/source && '" OPGRADE_CMAKE "' -E tar xf ../../a.zip")),
      0);
  const auto grade = [&](const char* submission, const std::string& created) {
    fs::remove_all(root / "submission");
    fs::remove_all(root / "results");
    fs::copy(kSubmissionFolders / submission, root / "submission", fs::copy_options::recursive);
    put(root / "submission_metadata.json",
        R"({"created_at": ")" + created +
            R"(", "assignment": {"due_date": "2026-11-20T00:00:00Z"}, "users": []})");
    return shell("bash autograder/source/run_autograder", {"AUTOGRADER_ROOT=" + root.string()});
  };
  auto report = grade("good", "2026-11-19T00:00:00Z");
  ASSERT_EQ(test::exit_code(report), 0) << report.standard_error;
  auto results = nlohmann::json::parse(content(root / "results/results.json"));
  EXPECT_EQ(results["score"], 5);
  EXPECT_EQ(results["tests"][0]["status"], "passed");

  report = grade("good", "2026-11-21T12:00:00Z");
  results = nlohmann::json::parse(content(root / "results/results.json"));
  EXPECT_EQ(results["score"], 4);
  EXPECT_EQ(results["extra_data"]["late_days"], 2);

  report = grade("wrong_constant", "2026-11-19T00:00:00Z");
  results = nlohmann::json::parse(content(root / "results/results.json"));
  EXPECT_EQ(results["score"], 0);
  EXPECT_EQ(results["tests"][0]["status"], "failed");

  report = grade("good", "not a date");
  EXPECT_NE(test::exit_code(report), 0);
  EXPECT_FALSE(fs::exists(root / "results/results.json")) << "the platform says: failed";
}

TEST_F(BundleCli, AutolabGetsItsLastLine) {
  bundle({"autolab", "--out", "lab"});
  put(place.path() / "lab/handin.zip",
      test::pack(
          {{"cpu-new-forward.cc", content(kSubmissionFolders / "good/cpu-new-forward.cc")}}));
  const auto report = shell("cd lab && make -f autograde-Makefile");
  ASSERT_EQ(test::exit_code(report), 0) << report.standard_output << report.standard_error;
  std::string text = report.standard_output;
  ASSERT_FALSE(text.empty());
  text.pop_back();
  EXPECT_EQ(text.substr(text.rfind('\n') + 1), R"({"scores":{"cpu":5.0}})");
}

TEST_F(BundleCli, AGithubJobShowsAnnotationsAndASummary) {
  bundle({"github", "--out", "course"});
  const fs::path course = place.path() / "course";
  EXPECT_THAT(content(course / ".github/workflows/opgrade.yml"), HasSubstr("grade.sh"));
  fs::copy(kSubmissionFolders / "not_compiling", course, fs::copy_options::recursive);
  const auto report = shell("cd course && bash .github/opgrade/grade.sh",
                            {"RUNNER_TEMP=" + place.path().string(),
                             "GITHUB_STEP_SUMMARY=" + (place.path() / "summary.md").string()});
  EXPECT_EQ(test::exit_code(report), 1) << report.standard_error;
  EXPECT_TRUE(report.standard_output.starts_with("::stop-commands::")) << report.standard_output;
  EXPECT_THAT(report.standard_output, HasSubstr("\n::error file=cpu-new-forward.cc,line="));
  EXPECT_THAT(content(place.path() / "summary.md"), testing::StartsWith("## "));
  const auto sarif =
      nlohmann::json::parse(shell("cat opgrade-results-*/opgrade.sarif").standard_output);
  EXPECT_FALSE(sarif["runs"][0]["results"].empty());
}

}  // namespace
}  // namespace opgrade
