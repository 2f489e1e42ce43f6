#include "grader/grading/cases/verdict/not_credible.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/report/words/reason_words.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Two computations of four timed calls each; the second has no time, `throttled` calls of it
/// dropped.
CaseReport half_timed(int throttled) {
  CaseReport report;
  report.outcome = Outcome::passed;
  report.calls.resize(2);
  for (CallReport& call : report.calls) {
    call.measurement.calls.resize(4);
    call.device_state = DeviceState{.sm_clock_mhz = 1980};
  }
  report.calls[0].layer = "conv1";
  report.calls[0].timed = true;
  report.calls[1].layer = "conv2";
  report.calls[1].device_state->throttled_calls = throttled;
  if (throttled > 0)
    report.calls[1].device_state->throttle_reasons = {"thermal slowdown", "power brake"};
  return report;
}

TEST(Untimed, AnOutputThatChangesAfterTheCall) {
  for (const int throttled : {0, 3}) {
    CaseReport report = half_timed(throttled);
    report.calls[1].late_calls = 2;
    const CaseVerdict verdict = not_credible(report);
    EXPECT_EQ(verdict.outcome, Outcome::not_credible);
    EXPECT_THAT(report::sentence_of(verdict.reason),
                HasSubstr("conv2: the output of 2 calls still changed after the call had ended"))
        << throttled;
  }
}

TEST(Untimed, ThrottledThroughout) {
  CaseReport report = half_timed(4);
  const CaseVerdict verdict = not_credible(report);
  EXPECT_EQ(verdict.outcome, Outcome::not_credible);
  EXPECT_THAT(report::sentence_of(verdict.reason), HasSubstr("conv2: the GPU was slowed down"));
  EXPECT_THAT(report::sentence_of(verdict.reason), HasSubstr("thermal slowdown, power brake"));
  EXPECT_THAT(report::hint_of(verdict.reason), HasSubstr("Not the submission's doing"));
}

TEST(Untimed, CallsThatTakeLessThanEmptyOnes) {
  CaseReport report = half_timed(0);
  for (CallSample& call : report.calls[1].measurement.calls) {
    call.use = CallUse::counts;
    call.done = std::chrono::microseconds(5);
    call.proven = std::chrono::microseconds(25);
    call.empty = std::chrono::microseconds(36);
  }
  const CaseVerdict verdict = not_credible(report);
  EXPECT_EQ(verdict.outcome, Outcome::not_credible);
  EXPECT_THAT(report::sentence_of(verdict.reason),
              HasSubstr("conv2: calls that do nothing took longer"));
  EXPECT_THAT(report::hint_of(verdict.reason), HasSubstr("Not the submission's doing"));
}

TEST(Untimed, NoGpuAndNoCalls) {
  CaseReport report = half_timed(0);
  for (CallReport& call : report.calls) call.device_state.reset();
  EXPECT_THAT(report::sentence_of(not_credible(report).reason), Not(HasSubstr("slowed down")));
  report = half_timed(0);
  report.calls[1].measurement = {};
  EXPECT_THAT(report::sentence_of(not_credible(report).reason), Not(HasSubstr("slowed down")));
}

}  // namespace
}  // namespace opgrade
