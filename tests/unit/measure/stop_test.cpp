// When the measuring loop has enough.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/measure/fake_target.hpp"

namespace opgrade {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using test::FakeCall;
using test::FakeTarget;

int timed_calls(const Measured& measured) {
  return static_cast<int>(std::ranges::count_if(
      measured.measurement.calls, [](const CallSample& call) { return is_timed(call.use); }));
}

/// Samples that never settle: 1 ms and 3 ms in turn.
FakeTarget restless() {
  return FakeTarget([](int n) { return test::device_call(milliseconds(n % 2 == 0 ? 1 : 3)); });
}

TEST(Stop, AfterTheRepetitions) {
  FakeTarget host = test::always(test::host_call(milliseconds(1)));
  EXPECT_EQ(timed_calls(measure_calls(host, test::host_plan(5))), 5);
  FakeTarget device = test::always(test::device_call(milliseconds(1)));
  EXPECT_EQ(timed_calls(measure_calls(device, test::device_plan(5))), 5);
}

TEST(Stop, NotBeforeTheTimesSettle) {
  const auto call = [](int n) {
    return test::device_call(n < 8 ? milliseconds(n % 2 == 0 ? 1 : 3) : milliseconds(2));
  };
  FakeTarget settling(call);
  const Measured measured = measure_calls(settling, test::device_plan(3));
  EXPECT_GT(timed_calls(measured), 8);
  EXPECT_LT(op_times(measured.measurement).uncertainty(), 0.005);
  FakeTarget hurried(call);
  Plan plan = test::device_plan(3);
  plan.settle = false;
  EXPECT_EQ(timed_calls(measure_calls(hurried, plan)), 3);
}

/// A spread of 0.8 us is the clock's. Half a percent of 5 us would take thousands of calls.
TEST(Stop, WhenAShortCallIsKnownToAThirdOfAMicrosecond) {
  FakeTarget target([](int n) { return test::device_call(nanoseconds(n % 2 == 0 ? 4600 : 5400)); });
  Plan plan = test::device_plan(3);
  plan.budget = seconds(2);
  const int calls = timed_calls(measure_calls(target, plan));
  EXPECT_GT(calls, 15);
  EXPECT_LT(calls, 40);
}

/// Three samples may agree to 0.3 us by chance.
TEST(Stop, NotAfterFewShortCalls) {
  FakeTarget target([](int n) { return test::device_call(nanoseconds(n % 2 == 0 ? 4900 : 5100)); });
  Plan plan = test::device_plan(3);
  plan.budget = seconds(2);
  EXPECT_EQ(timed_calls(measure_calls(target, plan)), 15);
}

/// Empty calls that take longer than the calls: something else uses the device.
TEST(Stop, NotWhileTheMedianIsZero) {
  FakeTarget target([](int n) {
    FakeCall call = test::device_call(microseconds(5));
    if (n < 20) call.empty = microseconds(40);
    return call;
  });
  Plan plan = test::device_plan(3);
  plan.budget = seconds(2);
  const Measured measured = measure_calls(target, plan);
  EXPECT_GT(timed_calls(measured), 20);
  EXPECT_GT(op_times(measured.measurement).median_ms, 0);
}

TEST(Stop, WithoutSettlingOnTheCpu) {
  FakeTarget target([](int n) { return test::host_call(milliseconds(n % 2 == 0 ? 1 : 3)); });
  EXPECT_EQ(timed_calls(measure_calls(target, test::host_plan(3))), 3);
}

TEST(Stop, After200CallsThatNeverSettle) {
  FakeTarget target = restless();
  Plan plan = test::device_plan();
  plan.budget = seconds(2);
  plan.warm_ups = 2;
  const Measured measured = measure_calls(target, plan);
  EXPECT_EQ(timed_calls(measured), 201);
  EXPECT_TRUE(measured.credible);
}

TEST(Stop, After200CallsOnlyOnAGpu) {
  FakeTarget target = test::always(test::host_call(milliseconds(1)));
  EXPECT_EQ(timed_calls(measure_calls(target, test::host_plan(300))), 300);
}

TEST(Stop, WhenTheBudgetIsSpent) {
  FakeTarget target = restless();
  Plan plan = test::device_plan();
  plan.budget = milliseconds(50);
  EXPECT_EQ(timed_calls(measure_calls(target, plan)), 25) << "after 26 of 1.02 and 3.02 ms in turn";
}

/// Checking costs budget, but no time of the call.
TEST(Stop, CountsWhatIsNotTimed) {
  FakeCall call = test::host_call(milliseconds(1));
  call.around = milliseconds(9);
  FakeTarget target = test::always(call);
  Plan plan = test::host_plan(100);
  plan.budget = milliseconds(45);
  const Measured measured = measure_calls(target, plan);
  EXPECT_EQ(timed_calls(measured), 5);
  EXPECT_EQ(op_times(measured.measurement).maximum_ms, 1);
}

TEST(Stop, NotBeforeOneTimedCall) {
  for (const bool device : {false, true}) {
    FakeTarget target =
        test::always(device ? test::device_call(seconds(9)) : test::host_call(seconds(9)));
    Plan plan = device ? test::device_plan() : test::host_plan();
    plan.budget = seconds(1);
    plan.warm_ups = 2;
    const Measured measured = measure_calls(target, plan);
    EXPECT_EQ(timed_calls(measured), 1);
    EXPECT_TRUE(measured.credible);
  }
}

/// The known first call has been there already and costs none.
TEST(Stop, BeforeACallThatWouldNotFitOnTheCpu) {
  FakeTarget target = test::always(test::host_call(milliseconds(400)));
  Plan plan = test::host_plan();
  plan.budget = milliseconds(1000);
  EXPECT_EQ(timed_calls(measure_calls(target, plan)), 2);
}

TEST(Stop, LaterWhileNoCallCounts) {
  FakeTarget target([](int n) {
    FakeCall call = test::device_call(milliseconds(10));
    if (n < 25) call.sample.use = CallUse::throttled;
    return call;
  });
  Plan plan = test::device_plan();
  plan.budget = milliseconds(100);
  const Measured measured = measure_calls(target, plan);
  EXPECT_EQ(timed_calls(measured), 25) << "24 throttled ones and the first that counts";
  EXPECT_TRUE(measured.credible);
}

TEST(Stop, AtThreeBudgetsWhereNoneCounts) {
  FakeCall call = test::device_call(milliseconds(10));
  call.sample.use = CallUse::throttled;
  FakeTarget target = test::always(call);
  Plan plan = test::device_plan();
  plan.budget = milliseconds(100);
  EXPECT_EQ(timed_calls(measure_calls(target, plan)), 29);
}

}  // namespace
}  // namespace opgrade
