#include "grader/grading/measure/calibration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/grading/measure/fake_target.hpp"

namespace opgrade {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using test::FakeCall;
using test::FakeTarget;

TEST(HostCallCost, IsTheShortestOf40) {
  int calls = 0;
  const auto cost = shortest_empty_call([&]() -> std::optional<nanoseconds> {
    return microseconds(++calls == 20 ? 7 : calls == 41 ? 1 : 20);
  });
  EXPECT_EQ(cost, microseconds(7));
  EXPECT_EQ(calls, 40);
}

/// A slow machine makes no call shorter than it is.
TEST(HostCallCost, IsAtMost50Microseconds) {
  EXPECT_EQ(shortest_empty_call([]() -> std::optional<nanoseconds> { return milliseconds(2); }),
            microseconds(50));
}

TEST(HostCallCost, IsUnknownWhereACallFails) {
  int calls = 0;
  EXPECT_FALSE(shortest_empty_call([&]() -> std::optional<nanoseconds> {
    return ++calls == 5 ? std::nullopt : std::optional<nanoseconds>(microseconds(5));
  }));
}

TEST(HostCallCost, IsTakenOffEachStep) {
  FakeCall call = test::host_call(milliseconds(1));
  call.sample.layer = milliseconds(4);
  call.sample.steps = 3;
  FakeTarget target = test::always(call);
  Plan plan = test::host_plan();
  plan.empty_call = microseconds(10);
  const Measured measured = measure_calls(target, plan);
  EXPECT_DOUBLE_EQ(op_times(measured.measurement).median_ms, 0.99);
  EXPECT_DOUBLE_EQ(layer_times(measured.measurement).median_ms, 3.97);
  ASSERT_EQ(measured.measurement.adjustments.size(), 1);
  EXPECT_THAT(measured.measurement.adjustments[0].reason, testing::HasSubstr("does nothing"));
  EXPECT_EQ(measured.measurement.calls.back().done, milliseconds(1)) << "the raw time stays";
}

TEST(HostCallCost, LeavesNoTimeBelowZero) {
  FakeCall call = test::host_call(microseconds(5));
  call.sample.until_stopped = microseconds(30);
  call.stayed = false;
  FakeTarget target = test::always(call);
  Plan plan = test::host_plan();
  plan.empty_call = microseconds(10);
  EXPECT_DOUBLE_EQ(op_times(measure_calls(target, plan).measurement).median_ms, 0.03)
      << "nor does it shorten what is added";
}

/// Empty calls of 14, 24, 34, ... us: the cost drifts.
FakeTarget drifting() {
  return FakeTarget([](int n) {
    FakeCall call = test::device_call(milliseconds(1));
    call.empty = microseconds(4 + 10 * n);
    return call;
  });
}

TEST(DeviceCallCost, IsTheMedian) {
  FakeTarget target = drifting();
  const Measured measured = measure_calls(target, test::device_plan(3));
  EXPECT_DOUBLE_EQ(cost_in_between(measured.measurement), 0.024) << "of 14, 24 and 34 us";
  EXPECT_DOUBLE_EQ(op_times(measured.measurement).median_ms, 0.996);
  EXPECT_DOUBLE_EQ(layer_times(measured.measurement).median_ms, 0.996);
}

TEST(DeviceCallCost, AlternatesWithTimedCalls) {
  FakeTarget target = drifting();
  const Measured measured = measure_calls(target, test::device_plan(2));
  EXPECT_EQ(target.did,
            "frc"
            "efrc"
            "efrc"
            "krc")
      << "before the call is prepared";
  EXPECT_FALSE(measured.measurement.calls[0].empty);
  EXPECT_EQ(measured.measurement.calls[1].empty, microseconds(14));
  EXPECT_EQ(measured.measurement.calls[2].empty, microseconds(24));
}

// A function on host pointers is woken by a process of the grader's own, too.
TEST(HostCallCost, IsTheMedianOfCallsInBetween) {
  FakeTarget target([](int n) {
    FakeCall call = test::host_call(milliseconds(1));
    call.empty = microseconds(4 + 10 * n);
    return call;
  });
  Plan plan = test::device_plan(3);
  plan.place = Plan::Place::host;
  plan.empty_call = microseconds(500);
  const Measured measured = measure_calls(target, plan);
  EXPECT_DOUBLE_EQ(op_times(measured.measurement).median_ms, 0.976) << "of 14, 24 and 34 us";
  EXPECT_TRUE(measured.credible);
}

TEST(HostCallCost, OneSlowEmptyCallMakesNoCallFast) {
  FakeTarget target([](int) {
    FakeCall call = test::host_call(milliseconds(1));
    call.empty = milliseconds(2);
    return call;
  });
  Plan plan = test::device_plan(1);
  plan.place = Plan::Place::host;
  EXPECT_DOUBLE_EQ(op_times(measure_calls(target, plan).measurement).median_ms, 0.85);
}

// A function that returns at once may be quicker than the empty calls beside it.
TEST(HostCallCost, ACallBelowItIsCredible) {
  FakeTarget target([](int) {
    FakeCall call = test::host_call(microseconds(10));
    call.empty = microseconds(60);
    return call;
  });
  Plan plan = test::device_plan(3);
  plan.place = Plan::Place::host;
  const Measured measured = measure_calls(target, plan);
  EXPECT_DOUBLE_EQ(op_times(measured.measurement).median_ms, 0);
  EXPECT_TRUE(measured.credible);
}

TEST(DeviceCallCost, IsNotOfAThrottledDevice) {
  FakeTarget target([](int n) {
    FakeCall call = test::device_call(milliseconds(1));
    if (n == 1) call.sample.use = CallUse::throttled;
    call.empty = microseconds(n == 1 ? 90 : 14);
    return call;
  });
  EXPECT_DOUBLE_EQ(cost_in_between(measure_calls(target, test::device_plan(1)).measurement), 0.014);
}

/// Something else uses the device; a call of 1 us is up to 3 us below by itself.
TEST(DeviceCallCost, CallsFarBelowItAreNotCredible) {
  for (const auto& [empty, credible] : {std::pair{24, true}, {34, true}, {36, false}}) {
    FakeTarget target([empty = empty](int) {
      FakeCall call = test::device_call(microseconds(5));  // proven after 25
      call.empty = microseconds(empty);
      return call;
    });
    EXPECT_EQ(measure_calls(target, test::device_plan(3)).credible, credible) << empty;
  }
}

}  // namespace
}  // namespace opgrade
