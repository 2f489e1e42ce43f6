// How many calls the measuring loop makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/measure/fake_target.hpp"

namespace opgrade {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::FakeCall;
using test::FakeTarget;

int timed_calls(const Measured& measured) {
  return static_cast<int>(std::ranges::count_if(
      measured.measurement.calls, [](const CallSample& call) { return is_timed(call.use); }));
}

TEST(Stop, AfterTheSameCallsWhateverTheirTimes) {
  for (const bool device : {false, true}) {
    const auto of = [&](milliseconds time) {
      return device ? test::device_call(time) : test::host_call(time);
    };
    for (const int fast : {1, 3, 900}) {
      FakeTarget target([&](int n) { return of(milliseconds(n % 2 == 0 ? fast : 3)); });
      EXPECT_EQ(
          timed_calls(measure_calls(target, device ? test::device_plan(5) : test::host_plan(5))),
          5);
    }
  }
}

/// Calls of 20 s would fill the time that a whole case has.
TEST(Stop, WhenTheCasesTimeIsSpent) {
  for (const bool device : {false, true}) {
    FakeTarget target =
        test::always(device ? test::device_call(seconds(9)) : test::host_call(seconds(9)));
    Plan plan = device ? test::device_plan() : test::host_plan();
    plan.budget = seconds(1);
    plan.warm_ups = 2;
    const Measured measured = measure_calls(target, plan);
    EXPECT_EQ(timed_calls(measured), 1) << "one is made in any case";
    EXPECT_TRUE(measured.credible);
  }
}

/// Checking takes time of the case, but is no time of the call.
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

TEST(Stop, AtThreeTimesTheCallsWhereSomeDoNotCount) {
  for (const auto& [throttled, calls] : {std::pair{4, 7}, {99, 9}}) {
    FakeTarget target([throttled = throttled](int n) {
      FakeCall call = test::device_call(milliseconds(10));
      if (n <= throttled) call.sample.use = CallUse::throttled;
      return call;
    });
    EXPECT_EQ(timed_calls(measure_calls(target, test::device_plan(3))), calls);
  }
}

}  // namespace
}  // namespace opgrade
