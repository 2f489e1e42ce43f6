// How many calls a whole grading times, by the config's limits.
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

constexpr const char* kTask = R"~(opgrade: 1
name: roots
task:
  function: void roots(const int* x, int* y, int n)
  sizes: {n: {to: 100000}}
  buffers:
    x: {extents: [n], values: "integers(0, 1000)"}
    y: {extents: [n]}
limits: {run: {wall: 300 s, cpu: 300 s}}
stages:
  - name: cpu
    device: cpu
    cases: [{name: large, sizes: {n: 100000}, points: 5}]
)~";

/// Grades a function that takes some ms on any machine. `bounds`: of the rule on its Op Time.
StageReport graded_stage(const std::string& bounds, const std::string& more = "") {
  const TempDir folder("opgrade-test-");
  ::chmod(folder.path().c_str(), 0755);
  const fs::path task = folder.path() / "roots";
  fs::create_directory(task);
  std::ofstream(task / "task.yaml")
      << kTask << "    op_times: [{case: large, points: 5, " << bounds << "}]\n"
      << more;
  std::ofstream(task / "reference.cpp") << R"(#include "reference.h"
void reference(const int* x, long long* y, long long n) {
  for (long long i = 0; i < n; ++i)
    for (y[i] = 0; (y[i] + 1) * (y[i] + 1) <= x[i];) ++y[i];
}
)";
  std::ofstream(folder.path() / "roots.cc") << R"(void roots(const int* x, int* y, int n) {
  for (int i = 0; i < n; ++i)
    for (y[i] = 0; (y[i] + 1) * (y[i] + 1) <= x[i];) ++y[i];
}
)";
  const Config config = load_config(task.string()).config;
  GraderOptions options;
  options.config_argument = task.string();
  Grader grader(config, options);
  const Grade grade = grader.grade(folder.path(), "roots");
  EXPECT_EQ(grade.outcome, Outcome::passed) << report::sentence_of(grade.reason);
  return grade.stages.at(0);
}

std::size_t timed_calls(const StageReport& stage) {
  return stage.cases.at(0).calls.at(0).op_time.samples_ms.size();
}

class HopelessStage : public testing::Test {
 protected:
  void SetUp() override {
    const auto support = SandboxSupport::detect();
    OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
  }
};

TEST_F(HopelessStage, TimesOneCallOfATimeThatCanEarnNothing) {
  const StageReport hopeless = graded_stage("full: 1 us, zero: 2 us");
  EXPECT_EQ(timed_calls(hopeless), 1U);
  EXPECT_EQ(hopeless.cases.at(0).points.at(0).points, 5) << "its output is right";
}

TEST_F(HopelessStage, TimesAllCallsWhereverATimeMayMatter) {
  EXPECT_EQ(timed_calls(graded_stage("full: 3000 s, zero: 6000 s")), 15U);
  EXPECT_EQ(timed_calls(graded_stage("full: 1 us, zero: never, between: speed")), 15U);
  EXPECT_EQ(timed_calls(graded_stage("full: 1 us, zero: 2 us",
                                     "ranking: {stage: cpu, case: large, rule: deviations, "
                                     "points: 1, deviations: 2}\n")),
            15U);
}

}  // namespace
}  // namespace opgrade
