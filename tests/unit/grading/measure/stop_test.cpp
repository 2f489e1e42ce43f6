// How many calls the measuring loop makes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/grading/measure/fake_target.hpp"

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

/// Op Times of 0.4 s give nothing where all points are gone at 0.2 s.
Plan with_limit(bool device) {
  Plan plan = device ? test::device_plan(15) : test::host_plan(15);
  plan.hopeless_ms = 400;
  plan.empty_call = std::chrono::microseconds(14);
  return plan;
}

FakeCall call_of(bool device, std::chrono::nanoseconds time) {
  return device ? test::device_call(time) : test::host_call(time);
}

TEST(Hopeless, OneTimedCallIsEnough) {
  for (const bool device : {false, true}) {
    FakeTarget target = test::always(call_of(device, milliseconds(2800)));
    const Measured measured = measure_calls(target, with_limit(device));
    EXPECT_EQ(timed_calls(measured), 1);
    EXPECT_EQ(measured.end, Measured::End::complete);
    EXPECT_TRUE(measured.credible);
    EXPECT_NEAR(op_times(measured.measurement).median_ms, 2800, 1);
    EXPECT_EQ(target.calls, 2);
    // The known input's output is what the next layer gets, which on a device is the last one's.
    EXPECT_EQ(target.did, device ? "frcekrc" : "krcefrc");
  }
}

TEST(Hopeless, NotBelowTheLimitNorWithoutOne) {
  for (const bool device : {false, true}) {
    for (const int ms : {1, 199, 390, 399}) {
      FakeTarget target = test::always(call_of(device, milliseconds(ms)));
      EXPECT_EQ(timed_calls(measure_calls(target, with_limit(device))), 15) << ms;
    }
    FakeTarget target = test::always(call_of(device, milliseconds(2800)));
    Plan plan = with_limit(device);
    plan.hopeless_ms.reset();
    EXPECT_EQ(timed_calls(measure_calls(target, plan)), 15);
  }
}

/// Prolog and epilog count, too, if nothing bounds the timed call by itself.
TEST(Hopeless, IsTheWholeLayersTimeIfThatCounts) {
  for (const bool device : {false, true}) {
    FakeCall call = call_of(device, milliseconds(100));
    call.sample.layer = milliseconds(900);
    FakeTarget target = test::always(call);
    Plan plan = with_limit(device);
    EXPECT_EQ(timed_calls(measure_calls(target, plan)), 15);
    plan.whole_layer = "the prolog works on the input";
    const Measured measured = measure_calls(target, plan);
    EXPECT_EQ(timed_calls(measured), 1);
    EXPECT_EQ(measured.measurement.whole_layer, plan.whole_layer);
    EXPECT_NEAR(op_times(measured.measurement).median_ms, 900, 1);
    plan.hopeless_ms.reset();
    plan.far_behind_ms = 400;
    EXPECT_EQ(timed_calls(measure_calls(target, plan)), kFewCalls);
    plan.whole_layer.clear();
    EXPECT_EQ(timed_calls(measure_calls(target, plan)), 15);
  }
}

/// Whether the limit is exceeded is asked of the Op Time, from which the empty call is taken off.
TEST(Hopeless, IsTheOpTimeWithoutTheEmptyCall) {
  for (const bool device : {false, true}) {
    FakeTarget target = test::always(call_of(device, std::chrono::microseconds(50)));
    Plan plan = with_limit(device);
    plan.hopeless_ms = 0.06;
    if (!device) plan.hopeless_ms = 0.04;
    EXPECT_EQ(timed_calls(measure_calls(target, plan)), 15);
  }
}

/// An honest function that allocates or loads in its first calls, and a call that something else
/// disturbed: neither loses a point. Nor does a submission gain by any order of slow and fast
/// calls, because whatever stops has only times without points.
TEST(Hopeless, OneFastCallOfAnyKindKeepsAllCalls) {
  for (const bool device : {false, true})
    for (const int fast : {0, 1}) {
      FakeTarget target([&](int n) {
        return call_of(device, n == fast ? milliseconds(40) : milliseconds(2800));
      });
      EXPECT_EQ(timed_calls(measure_calls(target, with_limit(device))), 15) << fast;
    }
  for (const int slow : {1, 2, 7})  // calls from the first
    for (const bool device : {false, true}) {
      FakeTarget target(
          [&](int n) { return call_of(device, n < slow ? milliseconds(2800) : milliseconds(40)); });
      const Measured measured = measure_calls(target, with_limit(device));
      const double ms = op_times(measured.measurement).median_ms;
      if (slow == 1) {
        EXPECT_NEAR(ms, 40, 1);
      } else {
        EXPECT_GT(ms, 400) << "what stopped has no time that gives points";
      }
    }
}

/// What a throttled device did says nothing about the submission.
TEST(Hopeless, NotByACallThatDoesNotCount) {
  FakeTarget target([](int n) {
    FakeCall call = test::device_call(milliseconds(n <= 3 ? 2800 : 500));
    if (n <= 3) call.sample.use = CallUse::throttled;
    return call;
  });
  const Measured measured = measure_calls(target, with_limit(true));
  EXPECT_NEAR(op_times(measured.measurement).median_ms, 500, 1);
  EXPECT_EQ(op_times(measured.measurement).samples_ms.size(), 1U);
}

/// Twenty copies of the same file on a device whose calls take up to 1.4 times as long at times.
TEST(Hopeless, CopiesOnABusyDeviceAreTreatedAlike) {
  for (const auto& [ms, calls] : {std::pair{2800, 1}, {600, 1}, {250, 15}, {20, 15}})
    for (int copy = 0; copy < 20; ++copy) {
      FakeTarget target([&](int n) {
        return test::device_call(
            std::chrono::microseconds(ms * (1000 + 400 * ((n * 7 + copy * 3) % 11) / 11)));
      });
      EXPECT_EQ(timed_calls(measure_calls(target, with_limit(true))), calls) << ms << ", " << copy;
    }
}

Plan expecting(bool device) {
  Plan plan = with_limit(device);
  plan.expected_ms = 2700;  // what that one took
  return plan;
}

/// As a smaller case of the same submission did.
TEST(Trial, IsTheOnlyCallOfWhatOthersHaveShownHopeless) {
  for (const bool device : {false, true}) {
    FakeTarget target = test::always(call_of(device, milliseconds(2800)));
    const Measured measured = measure_calls(target, expecting(device));
    EXPECT_EQ(target.did, "ekrc") << "the known input, whose output the next layer gets";
    EXPECT_EQ(measured.end, Measured::End::complete);
    EXPECT_TRUE(measured.credible);
    EXPECT_NEAR(op_times(measured.measurement).median_ms, 2800, 1);
  }
}

/// Another kernel may serve large batches.
TEST(Trial, ThatIsFastIsFollowedByAllCallsAndDoesNotCount) {
  for (const bool device : {false, true})
    for (const int ms : {40, 390}) {
      FakeTarget target = test::always(call_of(device, milliseconds(ms)));
      const Measured measured = measure_calls(target, expecting(device));
      EXPECT_EQ(timed_calls(measured), 15) << ms;
      EXPECT_EQ(measured.measurement.calls.front().use, CallUse::known_input);
      EXPECT_EQ(target.did.substr(0, 4), "ekrc");
      EXPECT_EQ(target.calls, device ? 17 : 17 - 1);
    }
}

/// It may be long because it is the first, as when a library makes its handle.
TEST(Trial, ThatTakesLessThanOthersDidIsNotTheOnlyCall) {
  for (const bool device : {false, true}) {
    FakeTarget first([&](int n) { return call_of(device, milliseconds(n == 0 ? 2000 : 40)); });
    EXPECT_NEAR(op_times(measure_calls(first, expecting(device)).measurement).median_ms, 40, 1);
    FakeTarget all = test::always(call_of(device, milliseconds(2000)));
    const Measured measured = measure_calls(all, expecting(device));
    EXPECT_EQ(all.calls, 2);
    EXPECT_NEAR(op_times(measured.measurement).median_ms, 2000, 1);
  }
}

/// A trial whose time is in doubt decides nothing: a slowed device, or a proof that came too early.
TEST(Trial, InDoubtIsFollowedByAllCalls) {
  for (const bool throttled : {true, false}) {
    FakeTarget target([&](int n) {
      FakeCall call = test::device_call(milliseconds(n == 0 ? 2800 : 40));
      if (n == 0 && throttled) call.sample.use = CallUse::throttled;
      if (n == 0 && !throttled) call.overtaken = true;
      return call;
    });
    const Measured measured = measure_calls(target, expecting(true));
    EXPECT_EQ(timed_calls(measured), 15);
    EXPECT_NEAR(op_times(measured.measurement).median_ms, 40, 1);
  }
}

/// A known input's time counts only beyond the limit: what knew its output gains nothing.
TEST(Trial, NeverCountsAmongOthers) {
  for (const bool device : {false, true}) {
    FakeTarget target([&](int n) { return call_of(device, milliseconds(n == 0 ? 1 : 300)); });
    const Measured measured = measure_calls(target, expecting(device));
    EXPECT_EQ(op_times(measured.measurement).samples_ms.size(), 15U);
    EXPECT_GT(op_times(measured.measurement).minimum_ms, 299);
  }
}

TEST(LimitTimes, LeavesALayerWhatTheEarlierOnesLeft) {
  std::vector<CallReport> earlier(2);
  earlier[0].op_time = summarize({100, 150});
  earlier[1].op_time = summarize({30});
  Plan plan = test::device_plan(15);
  limit_times(plan, {.hopeless_ms = 400}, {});
  EXPECT_EQ(plan.hopeless_ms, 400);
  EXPECT_FALSE(plan.expected_ms);
  limit_times(plan, {.hopeless_ms = 400}, earlier);
  EXPECT_EQ(plan.hopeless_ms, 270);
  EXPECT_FALSE(plan.expected_ms);
  limit_times(plan, {.hopeless_ms = 120}, earlier);
  EXPECT_EQ(plan.hopeless_ms, 0);
  EXPECT_EQ(plan.expected_ms, 0) << "no time of this layer can matter";
  Plan other = test::device_plan(15);
  limit_times(other, {.expected_ms = 500}, earlier);
  EXPECT_FALSE(other.hopeless_ms);
  EXPECT_FALSE(other.expected_ms);
  limit_times(other, {.hopeless_ms = 400, .expected_ms = 500}, {});
  EXPECT_EQ(other.expected_ms, 500);
}

TEST(FarBehind, ThreeCallsAreEnough) {
  for (const bool device : {false, true})
    for (const int ms : {399, 401, 2800}) {
      FakeTarget target = test::always(call_of(device, milliseconds(ms)));
      Plan plan = with_limit(device);
      plan.hopeless_ms.reset();
      plan.far_behind_ms = 400;
      const Measured measured = measure_calls(target, plan);
      EXPECT_EQ(timed_calls(measured), ms > 400 ? kFewCalls : 15) << ms;
      EXPECT_EQ(measured.end, Measured::End::complete);
      EXPECT_TRUE(measured.credible);
    }
}

/// Nothing that a disturbed call took decides: one fast call keeps all of them.
TEST(FarBehind, OneFastCallOfAnyKindKeepsAllCalls) {
  for (const bool device : {false, true})
    for (const int fast : {0, 1, 2, 3}) {
      FakeTarget target(
          [&](int n) { return call_of(device, milliseconds(n == fast ? 300 : 500)); });
      Plan plan = with_limit(device);
      plan.hopeless_ms.reset();
      plan.far_behind_ms = 400;
      EXPECT_EQ(timed_calls(measure_calls(target, plan)), 15) << fast;
    }
}

TEST(FarBehind, CallsThatDoNotCountAreNoneOfTheThree) {
  FakeTarget target([](int n) {
    FakeCall call = test::device_call(milliseconds(500));
    if (n > 0 && n <= 4) call.sample.use = CallUse::throttled;
    return call;
  });
  Plan plan = with_limit(true);
  plan.hopeless_ms.reset();
  plan.far_behind_ms = 400;
  const Measured measured = measure_calls(target, plan);
  EXPECT_EQ(count_counting(measured.measurement), kFewCalls);
  EXPECT_EQ(timed_calls(measured), kFewCalls + 4);
}

TEST(FarBehind, IsOfTheSumOfTheLayers) {
  std::vector<CallReport> earlier(1);
  earlier[0].op_time = summarize({100, 150});
  Plan plan = test::device_plan(15);
  limit_times(plan, {.far_behind_ms = 400}, earlier);
  EXPECT_EQ(plan.far_behind_ms, 300);
  EXPECT_FALSE(plan.hopeless_ms);
  EXPECT_FALSE(plan.expected_ms);
  limit_times(plan, {.far_behind_ms = 90}, earlier);
  EXPECT_EQ(plan.far_behind_ms, 0);
}

/// A wrong output in the one timed call is still the result.
TEST(Hopeless, OutputsAreCheckedAsEver) {
  FakeTarget target([](int n) {
    FakeCall call = test::device_call(milliseconds(2800));
    call.right = n != 1;
    return call;
  });
  EXPECT_EQ(measure_calls(target, with_limit(true)).end, Measured::End::wrong);
}

}  // namespace
}  // namespace opgrade
