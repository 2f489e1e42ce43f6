// The number of timed calls of a run that decides nothing.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>

#include "grader/base/core/temp_dir.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/task/config/load.hpp"
#include "tests/support/must_run.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// `ruled` has the number of calls that a rule on its time gives it, the next two have their own.
constexpr const char* kTimedTask = R"~(opgrade: 1
name: twice
task:
  function: void twice(const int* x, int* y, int n)
  sizes: {n: {to: 1000}}
  buffers:
    x: {extents: [n], values: "integers(0, 1000)"}
    y: {extents: [n]}
limits: {run: {wall: 300 s, cpu: 300 s}}
stages:
  - name: cpu
    device: cpu
    cases:
      - {name: ruled, sizes: {n: 100}, points: 1}
      - {name: many, sizes: {n: 200}, points: 1, timing: {repetitions: 7}}
      - {name: few, sizes: {n: 300}, points: 1, timing: {repetitions: 2}}
      - {name: plain, sizes: {n: 400}, points: 1}
    op_times: [{case: ruled, points: 5, full: 100000 ms, zero: 200000 ms}]
)~";

using CallsOfCases = std::map<std::string, std::size_t>;

CallsOfCases timed_calls_of_cases(std::optional<int> most) {
  const TempDir folder("opgrade-test-");
  ::chmod(folder.path().c_str(), 0755);
  const fs::path task = folder.path() / "twice";
  fs::create_directory(task);
  std::ofstream(task / "task.yaml") << kTimedTask;
  std::ofstream(task / "reference.cpp") << R"(#include "reference.h"
void reference(const int* x, long long* y, long long n) {
  for (long long i = 0; i < n; ++i) y[i] = 2LL * x[i];
}
)";
  std::ofstream(folder.path() / "twice.cc") << R"(void twice(const int* x, int* y, int n) {
  for (int i = 0; i < n; ++i) y[i] = 2 * x[i];
}
)";
  GraderOptions options;
  options.config_argument = task.string();
  options.most_timed_calls = most;
  const LoadedConfig loaded = load_config(task.string());
  EXPECT_EQ(to_text(loaded.problems), "");
  const Grade grade = Grader(loaded.config, options).grade(folder.path(), "twice");
  CallsOfCases counts;
  for (const CaseReport& c : grade.stages.at(0).cases) {
    EXPECT_EQ(c.outcome, Outcome::passed) << c.id;
    for (const CallReport& call : c.calls) counts[c.model] = call.op_time.samples_ms.size();
  }
  return counts;
}

TEST(TimedCalls, ARunThatDecidesNothingMakesNoMoreThanAHandIn) {
  const auto support = SandboxSupport::detect();
  OPGRADE_SKIP_UNLESS("sandbox", support.tier != SandboxTier::none, support.notes.front());
  EXPECT_EQ(timed_calls_of_cases(std::nullopt),
            (CallsOfCases{{"ruled", 15}, {"many", 7}, {"few", 2}, {"plain", 1}}));
  EXPECT_EQ(timed_calls_of_cases(3),
            (CallsOfCases{{"ruled", 3}, {"many", 3}, {"few", 2}, {"plain", 1}}));
  EXPECT_EQ(timed_calls_of_cases(1),
            (CallsOfCases{{"ruled", 1}, {"many", 1}, {"few", 1}, {"plain", 1}}));
}

}  // namespace
}  // namespace opgrade
