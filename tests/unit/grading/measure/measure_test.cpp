// The rules of the measuring loop. tests/mutants/measure.txt has each with its test.
#include "grader/grading/measure/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/grading/measure/fake_target.hpp"

namespace opgrade {
namespace {

using test::always;
using test::device_call;
using test::device_plan;
using test::FakeCall;
using test::FakeTarget;
using test::host_call;
using test::host_plan;
using test::microseconds;
using test::milliseconds;
using test::nanoseconds;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

std::vector<CallUse> uses(const Measured& measured) {
  std::vector<CallUse> all;
  for (const CallSample& call : measured.measurement.calls) all.push_back(call.use);
  return all;
}

TEST(KeepsSamples, WhateverTheProcessClaims) {
  const nanoseconds claims[] = {nanoseconds(-1),         nanoseconds(0), std::chrono::hours(24),
                                -std::chrono::hours(24), nanoseconds(1), milliseconds(2)};
  for (const bool device : {false, true}) {
    FakeTarget target([&](int n) {
      FakeCall call = device ? device_call(milliseconds(2)) : host_call(milliseconds(2));
      call.sample.harness = call.sample.device = claims[n % 6];
      return call;
    });
    const Measured measured = measure_calls(target, device ? device_plan(6) : host_plan(6));
    EXPECT_TRUE(measured.credible);
    EXPECT_THAT(op_times(measured.measurement).samples_ms,
                testing::AllOf(testing::SizeIs(6), Each(DoubleNear(device ? 2.006 : 2.0, 1e-9))));
    EXPECT_EQ(target.calls, device ? 8 : 7) << "no call is repeated for a claim";
  }
}

TEST(KeepsSamples, SlowOnesToo) {
  FakeTarget target([](int n) {
    FakeCall call = host_call(milliseconds(n % 2 == 0 ? 19 : 15));
    if (n % 2 == 0) call.sample.harness = nanoseconds(-1);
    return call;
  });
  const Measured measured = measure_calls(target, host_plan(4));
  EXPECT_THAT(op_times(measured.measurement).samples_ms, ElementsAre(15, 19, 15, 19));
}

TEST(KeepsSamples, ButNotAThrottledOne) {
  FakeTarget target([](int n) {
    FakeCall call = device_call(milliseconds(n == 2 ? 9 : 1));
    if (n == 2) call.sample.use = CallUse::throttled;
    return call;
  });
  const Measured measured = measure_calls(target, device_plan(2));
  EXPECT_THAT(uses(measured), ElementsAre(CallUse::warm_up, CallUse::counts, CallUse::throttled,
                                          CallUse::counts, CallUse::known_input));
  EXPECT_THAT(op_times(measured.measurement).samples_ms,
              ElementsAre(DoubleNear(1.006, 1e-9), DoubleNear(1.006, 1e-9)));
  EXPECT_EQ(measured.measurement.calls[2].done, milliseconds(9)) << "the raw time stays";
}

TEST(KeepsSamples, NoneWhereAllWereThrottled) {
  FakeCall call = device_call(milliseconds(1));
  call.sample.use = CallUse::throttled;
  FakeTarget target = always(call);
  Plan plan = device_plan();
  const Measured measured = measure_calls(target, plan);
  EXPECT_EQ(measured.end, Measured::End::complete);
  EXPECT_FALSE(measured.credible);
}

/// The proof came before work that the call did not wait for. From then on calls wait, which takes
/// longer.
TEST(KeepsSamples, ThatNoProofOvertook) {
  FakeTarget target([](int n) {
    FakeCall call = device_call(milliseconds(n <= 2 ? 1 : 3));
    call.overtaken = n == 2;
    call.empty = microseconds(n <= 2 ? 1 : 20);
    return call;
  });
  const Measured measured = measure_calls(target, device_plan(2));
  EXPECT_THAT(uses(measured), ElementsAre(CallUse::warm_up, CallUse::overtaken, CallUse::overtaken,
                                          CallUse::counts, CallUse::counts, CallUse::known_input));
  EXPECT_TRUE(measured.credible);
  EXPECT_DOUBLE_EQ(op_times(measured.measurement).median_ms, 3.0)
      << "the empty calls of the others do not count either";
}

TEST(FirstCalls, AreNotTimed) {
  for (const bool device : {false, true}) {
    FakeTarget target([&](int n) {
      const milliseconds time(n == 0 ? 500 : 1);
      return device ? device_call(time) : host_call(time);
    });
    const Measured measured = measure_calls(target, device ? device_plan() : host_plan());
    EXPECT_EQ(measured.measurement.calls.front().use,
              device ? CallUse::warm_up : CallUse::known_input);
    EXPECT_LT(op_times(measured.measurement).maximum_ms, 1.1);
  }
}

TEST(FirstCalls, WarmUpsAreNotTimed) {
  for (const bool device : {false, true}) {
    FakeTarget target([&](int n) {
      const milliseconds time(n < 3 ? 500 : 1);
      return device ? device_call(time) : host_call(time);
    });
    Plan plan = device ? device_plan() : host_plan();
    plan.warm_ups = 3;
    const Measured measured = measure_calls(target, plan);
    EXPECT_EQ(op_times(measured.measurement).samples_ms.size(), 3);
    EXPECT_LT(op_times(measured.measurement).maximum_ms, 1.1);
  }
}

TEST(FirstCalls, TooSlow) {
  for (const bool device : {false, true}) {
    FakeTarget target =
        always(device ? device_call(milliseconds(11)) : host_call(milliseconds(11)));
    Plan plan = device ? device_plan() : host_plan();
    plan.warm_ups = 1;
    plan.abort_above = milliseconds(11);
    EXPECT_FALSE(measure_calls(target, plan).too_slow) << "as long as allowed";
    plan.abort_above = milliseconds(10);
    const Measured measured = measure_calls(target, plan);
    EXPECT_TRUE(measured.too_slow);
    EXPECT_FALSE(measured.credible);
    EXPECT_EQ(measured.measurement.calls.size(), device ? 2 : 1);
    plan.warm_ups = 0;
    EXPECT_FALSE(measure_calls(target, plan).too_slow) << "there is no warm-up to be slow";
  }
}

TEST(Inputs, OfATimedCallAreFresh) {
  FakeTarget host = always(host_call(milliseconds(1)));
  EXPECT_THAT(uses(measure_calls(host, host_plan(2))),
              ElementsAre(CallUse::known_input, CallUse::counts, CallUse::counts));
  EXPECT_EQ(host.did,
            "krc"
            "efrc"
            "efrc");
  FakeTarget device = always(device_call(milliseconds(1)));
  EXPECT_THAT(
      uses(measure_calls(device, device_plan(2))),
      ElementsAre(CallUse::warm_up, CallUse::counts, CallUse::counts, CallUse::known_input));
  EXPECT_EQ(device.did,
            "frc"
            "efrc"
            "efrc"
            "krc");
}

TEST(Inputs, OfASingleCallIsFresh) {
  for (const bool device : {false, true}) {
    FakeTarget target = always(device ? device_call(milliseconds(1)) : host_call(milliseconds(1)));
    Plan plan = device ? device_plan() : host_plan();
    plan.single = true;
    plan.warm_ups = 2;
    const Measured measured = measure_calls(target, plan);
    EXPECT_EQ(target.did, "efrc");
    EXPECT_THAT(uses(measured), ElementsAre(CallUse::counts));
    EXPECT_TRUE(measured.credible);
  }
}

TEST(Inputs, UntimedIsOneCallWithTheKnownOne) {
  for (const auto place : {Plan::Place::host, Plan::Place::device}) {
    FakeTarget target = always(host_call(milliseconds(1)));
    const Measured measured = measure_calls(target, {.place = place, .calls = 0});
    EXPECT_EQ(target.did, "krc");
    EXPECT_EQ(measured.end, Measured::End::complete);
    EXPECT_FALSE(measured.credible);
  }
}

TEST(IdleProof, EndsTheClock) {
  FakeCall call = device_call(milliseconds(3));
  call.sample.done = microseconds(200);  // "done" 2.8 ms too early
  FakeTarget target = always(call);
  EXPECT_DOUBLE_EQ(op_times(measure_calls(target, device_plan()).measurement).median_ms, 3.006);
}

TEST(IdleProof, ContainsWorkAhead) {
  FakeCall call = device_call(milliseconds(1));
  call.sample.busy = milliseconds(2);
  FakeTarget target = always(call);
  const Measured measured = measure_calls(target, device_plan());
  EXPECT_DOUBLE_EQ(op_times(measured.measurement).median_ms, 3.006);
  EXPECT_DOUBLE_EQ(layer_times(measured.measurement).median_ms, 3.006);
}

TEST(IdleProof, NoTimesWhereAnOutputWasLate) {
  FakeTarget target([](int n) {
    FakeCall call = device_call(milliseconds(1));
    call.stayed = n != 2;
    return call;
  });
  const Measured measured = measure_calls(target, device_plan());
  EXPECT_FALSE(measured.credible);
  EXPECT_DOUBLE_EQ(op_times(measured.measurement).maximum_ms, 1.006)
      << "stopping the process ends nothing on a device";
}

TEST(IdleProof, NoTimesWhereAWarmUpWasLate) {
  FakeTarget target([](int n) {
    FakeCall call = device_call(milliseconds(1));
    call.stayed = n != 0;
    return call;
  });
  EXPECT_FALSE(measure_calls(target, device_plan()).credible);
}

TEST(LateOutput, IsTimedUntilTheStop) {
  FakeTarget target([](int n) {
    FakeCall call = host_call(milliseconds(1));
    call.sample.until_stopped = milliseconds(5);
    call.stayed = n != 2;
    return call;
  });
  const Measured measured = measure_calls(target, host_plan());
  EXPECT_TRUE(measured.credible) << "its whole time is known";
  EXPECT_THAT(op_times(measured.measurement).samples_ms, ElementsAre(1, 6, 1));
  EXPECT_THAT(layer_times(measured.measurement).samples_ms, ElementsAre(1, 6, 1));
}

TEST(LateOutput, OfAFirstCallIsNotCounted) {
  FakeTarget target([](int n) {
    FakeCall call = host_call(milliseconds(1));
    call.stayed = n != 0;
    return call;
  });
  const Measured measured = measure_calls(target, host_plan());
  EXPECT_FALSE(measured.measurement.calls[0].late);
  EXPECT_TRUE(measured.credible);
}

TEST(Ends, OfTheSubmissionLeaveNoTimes) {
  for (const bool device : {false, true}) {
    FakeTarget target([&](int n) {
      FakeCall call = device ? device_call(milliseconds(1)) : host_call(milliseconds(1));
      call.ends = n == 3;
      return call;
    });
    const Measured measured = measure_calls(target, device ? device_plan(9) : host_plan(9));
    EXPECT_EQ(measured.end, Measured::End::over);
    EXPECT_FALSE(measured.credible);
    EXPECT_EQ(measured.measurement.calls.size(), 3) << "the raw times stay";
  }
}

TEST(Ends, WithAWrongOutput) {
  for (const bool device : {false, true}) {
    for (const int wrong : {0, 2}) {
      FakeTarget target([&](int n) {
        FakeCall call = device ? device_call(milliseconds(1)) : host_call(milliseconds(1));
        call.right = n != wrong;
        return call;
      });
      const Measured measured = measure_calls(target, device ? device_plan() : host_plan());
      EXPECT_EQ(measured.end, Measured::End::wrong);
      EXPECT_FALSE(measured.credible);
      EXPECT_EQ(target.calls, wrong + 1) << "the last call is the wrong one";
    }
  }
}

/// A broken device is the grader's failure and no verdict on a submission.
TEST(Ends, OfTheDeviceAreErrors) {
  FakeTarget target([](int n) {
    FakeCall call = device_call(milliseconds(1));
    call.breaks = n == 2;
    return call;
  });
  EXPECT_THROW(measure_calls(target, device_plan()), Error);
}

}  // namespace
}  // namespace opgrade
