// Calls in processes of their own: which are made, and that none of them is left out.
#include "grader/grading/cases/layer/fresh_processes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "grader/grading/measure/times.hpp"

namespace opgrade {
namespace {

CallReport right(bool timed, double ms) {
  CallReport report;
  report.check.checked = 1;
  report.timed = timed;
  const auto time = std::chrono::nanoseconds(std::llround(ms * 1e6));
  report.measurement.calls = {{.use = timed ? CallUse::counts : CallUse::known_input,
                               .done = time,
                               .layer = 2 * time,
                               .harness = time}};
  set_times(report);
  return report;
}

struct Runs {
  std::vector<CallReport> results;
  std::size_t ends_in = 99;  ///< the run in which the process ends
  std::vector<RunOptions> asked{};
  FreshRun fresh() {
    return {[this](const RunOptions& options, const std::function<void()>& use_output) {
              asked.push_back(options);
              use_output();
              return results.at(asked.size() - 1);
            },
            [this] { return asked.size() == ends_in + 1; }};
  }
};

RunOptions three_calls() {
  RunOptions options;
  options.plan.calls = 3;
  return options;
}

TEST(FreshProcesses, TheFirstHasTheInputAsItIsAndTheOthersOneTimedCall) {
  Runs runs{{right(false, 0), right(true, 3), right(true, 1), right(true, 2)}};
  int used = 0;
  const CallReport report = run_in_fresh_processes(runs.fresh(), three_calls(), [&] { ++used; });
  EXPECT_EQ(used, 1) << "of another input the next layer wants nothing";
  ASSERT_EQ(runs.asked.size(), 4U);
  EXPECT_EQ(runs.asked[0].plan.calls, 0);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_TRUE(runs.asked[i].plan.single);
  EXPECT_TRUE(report.timed);
  EXPECT_THAT(report.op_time.samples_ms, testing::UnorderedElementsAre(3, 1, 2));
  EXPECT_EQ(report.op_time.median_ms, 2);
  EXPECT_EQ(report.layer_time.median_ms, 4);
}

TEST(FreshProcesses, AWrongCallIsTheResult) {
  CallReport wrong = right(false, 0);
  wrong.check.mismatches = 1;
  Runs runs{{right(false, 0), right(true, 3), wrong, right(true, 2)}};
  const CallReport report = run_in_fresh_processes(runs.fresh(), three_calls(), [] {});
  EXPECT_EQ(runs.asked.size(), 3U);
  EXPECT_FALSE(report.check.passed());
  EXPECT_FALSE(report.timed);
}

TEST(FreshProcesses, ACallThatDoesNotComeBackIsTheResult) {
  Runs runs{{right(false, 0), right(true, 3), CallReport{}, right(true, 2)}, 2};
  const CallReport report = run_in_fresh_processes(runs.fresh(), three_calls(), [] {});
  EXPECT_EQ(runs.asked.size(), 3U);
  EXPECT_FALSE(report.timed);
}

TEST(FreshProcesses, EndWithTheBudget) {
  RunOptions options = three_calls();
  options.plan.budget = std::chrono::milliseconds(5);
  Runs runs{{right(false, 0), right(true, 3), right(true, 1)}};
  const CallReport report = run_in_fresh_processes(runs.fresh(), options, [] {});
  EXPECT_EQ(report.op_time.samples_ms.size(), 1U) << "the whole layer took 6 ms";
}

TEST(FreshProcesses, EndWithACallThatShowsThatNoneCanEarn) {
  RunOptions options = three_calls();
  options.plan.hopeless_ms = 2;
  const std::vector<CallReport> slow{right(false, 3), right(true, 3), right(true, 3),
                                     right(true, 3)};
  Runs runs{slow};
  const CallReport report = run_in_fresh_processes(runs.fresh(), options, [] {});
  EXPECT_EQ(runs.asked.size(), 2U);
  EXPECT_TRUE(report.timed);
  EXPECT_EQ(report.op_time.median_ms, 3);
  for (const std::size_t fast : {0U, 1U}) {
    Runs mixed{slow};
    mixed.results[fast] = right(fast > 0, 1);
    run_in_fresh_processes(mixed.fresh(), options, [] {});
    EXPECT_EQ(mixed.asked.size(), 4U) << "call " << fast << " was fast";
  }
}

/// As of a larger case, if a smaller one was hopeless.
TEST(FreshProcesses, ATrialIsTheOnlyCallIfItIsHopeless) {
  RunOptions options = three_calls();
  options.plan.hopeless_ms = 2;
  options.plan.expected_ms = 3;
  Runs runs{{right(true, 3)}};
  const CallReport report = run_in_fresh_processes(runs.fresh(), options, [] {});
  EXPECT_EQ(runs.asked.at(0).plan.expected_ms, 3);
  EXPECT_TRUE(report.timed);
  EXPECT_EQ(report.op_time.median_ms, 3);
  // What was fast does not count, and all calls follow.
  Runs fast{{right(false, 1), right(true, 1), right(true, 1), right(true, 1)}};
  EXPECT_EQ(run_in_fresh_processes(fast.fresh(), options, [] {}).op_time.samples_ms.size(), 3U);
}

TEST(FreshProcesses, AFirstCallAboveTheLimitGivesNoTimes) {
  RunOptions options = three_calls();
  options.plan.warm_ups = 1;
  options.plan.abort_above = std::chrono::milliseconds(2);
  Runs runs{{right(false, 0), right(true, 3), right(true, 1), right(true, 1)}};
  const CallReport report = run_in_fresh_processes(runs.fresh(), options, [] {});
  EXPECT_EQ(runs.asked.size(), 2U);
  EXPECT_TRUE(report.too_slow);
  EXPECT_TRUE(report.check.passed());
  EXPECT_FALSE(report.timed);
  EXPECT_THAT(report.op_time.samples_ms, testing::IsEmpty());
}

TEST(FreshProcesses, AnOutputThatComesTooLateOnADeviceGivesNoTime) {
  CallReport late = right(false, 0);
  late.measurement.calls[0].late = true;
  set_times(late);
  Runs runs{{right(false, 0), right(true, 3), late, right(true, 2)}};
  const CallReport report = run_in_fresh_processes(runs.fresh(), three_calls(), [] {});
  EXPECT_EQ(report.late_calls, 1);
  EXPECT_FALSE(report.timed);
}

}  // namespace
}  // namespace opgrade
