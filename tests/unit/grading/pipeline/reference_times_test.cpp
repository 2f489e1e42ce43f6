// The reference solution is run as submissions of its stage are.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/load.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// Right within 0.4 %: as if it computed with fewer bits.
constexpr const char* kRounded = R"(void halves(const float* x, float* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = (int)(x[i] * 256) / 256.0f;
}
)";

/// The item of a rule in multiples of the reference's time, for a submission that is its solution.
/// `tolerances`: a line of the stage, and one of the config.
PointItem item_of_multiple(const std::string& of_stage, const std::string& of_config) {
  const TempDir folder("opgrade-test-");
  ::chmod(folder.path().c_str(), 0755);
  const fs::path task = folder.path() / "halves";
  fs::create_directories(task / "solution");
  std::ofstream(task / "task.yaml") << R"~(opgrade: 1
name: halves
task:
  function: void halves(const float* x, float* y, int n)
  sizes: {n: {to: 100000}}
  buffers:
    x: {extents: [n], values: "uniform(1, 2)"}
    y: {extents: [n]}
)~" << of_config << R"~(stages:
  - name: cpu
    device: cpu
    cases: [{name: large, sizes: {n: 100000}, points: 5}]
    op_times: [{case: large, points: 5, limit: 100000 x reference}]
)~" << of_stage;
  std::ofstream(task / "reference.cpp") << R"(#include "reference.h"
void reference(const float* x, double* y, double* y_scale, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = y_scale[i] = x[i];
}
)";
  for (const fs::path& source : {task / "solution/halves.cc", folder.path() / "halves.cc"})
    std::ofstream(source) << kRounded;
  GraderOptions options;
  options.config_argument = task.string();
  Grader grader(load_config(task.string()).config, options);
  const Grade grade = grader.grade(folder.path(), "halves");
  EXPECT_EQ(grade.outcome, Outcome::passed) << report::sentence_of(grade.reason);
  const StageReport& stage = grade.stages.at(0);
  EXPECT_EQ(stage.cases.at(0).outcome, Outcome::passed)
      << report::sentence_of(stage.cases.at(0).reason);
  return stage.points.empty() ? PointItem{} : stage.points.front();
}

class ReferenceTimesTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto support = SandboxSupport::detect();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
  }
};

TEST_F(ReferenceTimesTest, TheSolutionHasTheToleranceOfItsStage) {
  for (const auto& item :
       {item_of_multiple("    tolerance: 2e-2\n", ""), item_of_multiple("", "tolerance: 2e-2\n")}) {
    const auto* const time = item.reason.get_if<why::OpTime>();
    ASSERT_NE(time, nullptr) << report::sentence_of(item.reason);
    EXPECT_TRUE(time->reference_ms.has_value());
    EXPECT_EQ(item.points, 5);
  }
}

}  // namespace
}  // namespace opgrade
