// A submission that changes while it is graded: what was hashed is what is built.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "grader/app/class_run.hpp"
#include "grader/config/load.hpp"
#include "tests/support/archive_bytes.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

// Random shapes alone: they need no network and no data.
constexpr const char* kConfig = R"(opgrade: 1
name: once
limits: {run: {wall: 20 s, memory: 512 MiB}}
stages:
  - {name: first, device: cpu, random_shapes: {count: 1, points: 1}}
  - {name: second, device: cpu, random_shapes: {count: 1, points: 1}}
)";
const char* const kGood = OPGRADE_SOURCE_DIR "/tests/corpus/submissions/good/cpu-new-forward.cc";

std::string text_of(const char* file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class ReadOnce : public testing::Test {
 protected:
  void SetUp() override {
    const auto support = SandboxSupport::detect();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
    ::chmod(folder.path().c_str(), 0755);
  }

  /// Grades `submission`, and calls `change` when the first stage begins to build.
  void expect_hash_of_what_was_built(const fs::path& submission,
                                     const std::function<void()>& change) {
    bool changed = false;
    GraderOptions options;
    options.config_argument = "once";
    options.listen = [&](const Event& event) {
      const auto* const build = std::get_if<events::BuildStarted>(&event);
      if (build == nullptr || build->stage != "first") return;
      change();
      changed = true;
    };
    Grader grader(parse_config(kConfig, "once.yaml").config, options);
    const std::string before = grader.fingerprint_of(submission);
    const Grade grade = grader.grade(submission, "once");
    EXPECT_TRUE(changed);
    EXPECT_EQ(grade.submission_sha256, before);
    ASSERT_EQ(grade.stages.size(), 2U);
    for (const auto& stage : grade.stages) {
      EXPECT_EQ(stage.build.outcome, Outcome::passed)
          << stage.name << ": " << stage.build.reason << stage.build.compiler_output;
    }
    EXPECT_EQ(grade.outcome, Outcome::passed) << grade.reason;
    EXPECT_NE(grader.fingerprint_of(submission), before);
  }

  TempDir folder{"opgrade-test-"};
};

TEST_F(ReadOnce, AFolder) {
  const fs::path source = folder.path() / "cpu-new-forward.cc";
  fs::copy_file(kGood, source);
  expect_hash_of_what_was_built(folder.path(),
                                [&] { std::ofstream(source) << "#error another one\n"; });
}

TEST_F(ReadOnce, AnArchive) {
  const fs::path archive = folder.path() / "one.zip";
  const auto pack = [&](const std::string& text) {
    std::ofstream(archive, std::ios::binary)
        << test::pack({{"cpu-new-forward.cc", text}}, "zip", "none");
  };
  pack(text_of(kGood));
  expect_hash_of_what_was_built(archive, [&] { pack("#error another one\n"); });
}

/// In a class run, the look at the hash reads a changed submission, and the grading reads no more.
TEST_F(ReadOnce, AChangedSubmissionOfAClass) {
  const fs::path source = folder.path() / "cpu-new-forward.cc";
  fs::copy_file(kGood, source);
  GraderOptions options;
  options.config_argument = "once";
  options.seed = 7;
  Grader grader(parse_config(kConfig, "once.yaml").config, options);
  const ClassGrading grading = grading_by(grader);
  const Grade before = grading.grade(folder.path(), "once");
  ASSERT_EQ(before.outcome, Outcome::passed) << before.reason;
  EXPECT_TRUE(grading.is_current(before, folder.path()));
  std::ofstream(source, std::ios::app) << "// changed\n";
  const std::string changed = grader.fingerprint_of(folder.path());
  ASSERT_FALSE(grading.is_current(before, folder.path()));
  std::ofstream(source) << "#error another one\n";
  const Grade after = grading.grade(folder.path(), "once");
  EXPECT_EQ(after.outcome, Outcome::passed) << after.reason;
  EXPECT_EQ(after.submission_sha256, changed);
  EXPECT_NE(grading.grade(folder.path(), "once").outcome, Outcome::passed) << "it was kept once";
}

}  // namespace
}  // namespace opgrade
