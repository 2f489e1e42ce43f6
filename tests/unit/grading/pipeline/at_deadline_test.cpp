// Cases that run only at the deadline.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/load.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCases = R"(opgrade: 1
name: late
stages:
  - name: cpu
    device: cpu
    random_shapes: {count: 1, points: 2}
    fixed_shapes: {shapes: [{B: 1, M: 1, C: 1, H: 3, W: 3, K: 1}], points: 5, run: at deadline}
)";

class AtDeadline : public testing::Test {
 protected:
  void SetUp() override {
    const auto support = SandboxSupport::detect();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
    ::chmod(folder.path().c_str(), 0755);
    fs::copy_file(OPGRADE_SOURCE_DIR "/tests/corpus/submissions/good/cpu-new-forward.cc",
                  folder.path() / "cpu-new-forward.cc");
  }

  Grade graded(GradedAt at, const std::optional<EarlierRun>& earlier = std::nullopt) const {
    GraderOptions options;
    options.seed = 7;
    return Grader(config(), options).grade(folder.path(), "one", earlier, std::nullopt, at);
  }
  static Config config() { return parse_config(kCases, "late.yaml").config; }

  TempDir folder{"opgrade-test-"};
};

TEST_F(AtDeadline, AHandInLeavesTheirPointsOpen) {
  const Grade grade = graded(GradedAt::hand_in);
  const CaseReport& c = grade.stages.at(0).cases.at(1);
  EXPECT_EQ(c.id, "cpu/fixed");
  EXPECT_EQ(c.outcome, Outcome::not_run);
  EXPECT_EQ(report::sentence_of(c.reason),
            "runs after the deadline, for all submissions that count");
  EXPECT_EQ(grade.points, 2);
  EXPECT_EQ(grade.open_points, 5);
  EXPECT_EQ(grade.outcome, Outcome::passed);
}

TEST_F(AtDeadline, LaterTheyRun) {
  const Grade grade = graded(GradedAt::deadline);
  EXPECT_EQ(grade.points, 7);
  EXPECT_EQ(grade.open_points, 0);
  // Also if the others are taken from the grading of the hand-in.
  const Grade after = graded(GradedAt::deadline, EarlierRun{config(), graded(GradedAt::hand_in)});
  EXPECT_EQ(after.points, 7);
  EXPECT_EQ(after.open_points, 0);
}

TEST(AtDeadlineConfig, IsSaidByRun) {
  const Config config = parse_config(kCases, "late.yaml").config;
  EXPECT_EQ(config.stages.at(0).fixed_shapes.run, RunWhen::at_deadline);
  EXPECT_EQ(config.stages.at(0).random_shapes.run, RunWhen::always);
  EXPECT_EQ(dump_config(parse_config(dump_config(config), "again").config), dump_config(config));
  std::string advice = kCases;
  advice.replace(advice.find("points: 5, run"), 9, "advice: true");
  EXPECT_NE(to_text(parse_config(advice, "x").problems).find("'advice' comes at hand-in"),
            std::string::npos);
}

}  // namespace
}  // namespace opgrade
