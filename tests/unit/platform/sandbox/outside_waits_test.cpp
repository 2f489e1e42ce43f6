#include "grader/platform/sandbox/outside_waits.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr std::chrono::microseconds kSecond{1'000'000};

/// A run on two cores that shows itself every 100 ms.
class OutsideWait : public testing::Test {
 protected:
  OutsideWait() {
    now.idle = {{0, {}}, {1, {}}};
    waits.restart(now);
  }

  /// Ten looks, between which the run computes, waits and leaves a core idle for so long.
  nanoseconds second(std::chrono::microseconds computed, int ready,
                     std::chrono::microseconds idle = {}, nanoseconds waited = {}) {
    for (int i = 0; i < 10; ++i) {
      now.computed += computed / 10;
      now.idle[1] += idle / 10;
      now.waits[7] += waited / 10;
      now.ready = ready;
      waits.add(now, 100ms);
    }
    return waits.total();
  }

  CoreLook now;
  OutsideWaits waits;
};

TEST_F(OutsideWait, IsWhatAReadyThreadDidNotCompute) { EXPECT_EQ(second(kSecond / 4, 1), 750ms); }

TEST_F(OutsideWait, OfSeveralThreadsIsWhatTheirCoresDidNotGiveThem) {
  EXPECT_EQ(second(kSecond / 2, 2), 750ms);
  EXPECT_EQ(second(kSecond / 2, 8), 1500ms) << "no more than two can compute at a time";
}

TEST_F(OutsideWait, IsNoneForThreadsInEachOthersWay) { EXPECT_EQ(second(2 * kSecond, 8), 0ms); }
TEST_F(OutsideWait, IsNoneWhereACoreIsIdle) { EXPECT_EQ(second(kSecond / 4, 1, kSecond), 0ms); }
TEST_F(OutsideWait, IsNoneOfARunThatSleeps) { EXPECT_EQ(second({}, 0), 0ms); }

// A look may meet a thread at the one moment when it is in line for nothing.
TEST_F(OutsideWait, OfALivingThreadIsWhatTheKernelCounted) {
  EXPECT_EQ(second(kSecond / 4, 0, {}, 600ms), 600ms);
}

// bubblewrap's init wakes when the program ends, and bubblewrap itself when the init does.
TEST_F(OutsideWait, OfThreadsThatWaitOneAfterAnotherIsTheSum) {
  now.waits[8] = 30ms;
  now.waits[9] = 60ms;
  EXPECT_EQ(waits.add(now, 100ms), 90ms);
  now.waits[8] += 80ms;
  now.waits[9] += 80ms;
  EXPECT_EQ(waits.add(now, 100ms), 100ms) << "no more than the time itself";
  now.waits[8] += 80ms;
  now.idle[1] += 90ms;
  EXPECT_EQ(waits.add(now, 100ms), 10ms) << "nobody waits beside an idle core";
}

TEST_F(OutsideWait, OfALivingThreadIsNotWhatTheRunComputedMeanwhile) {
  EXPECT_EQ(second(2 * kSecond, 0, {}, 600ms), 0ms);
}

TEST_F(OutsideWait, IsNoneForACoarseCount) {
  for (int i = 0; i < 100; ++i) {  // 1 ms each of a count in steps of 10 ms
    if (i % 10 == 9) now.computed += 10ms;
    now.ready = 1;
    waits.add(now, 1ms);
  }
  EXPECT_LE(waits.total(), 9ms);
}

TEST_F(OutsideWait, IsNotToldByOneLookAtALongTime) {
  now.ready = 1;
  EXPECT_EQ(waits.add(now, 60s), 0ms);
}

TEST_F(OutsideWait, BeginsAnewWithALimit) {
  second(kSecond / 4, 1);
  waits.restart(now);
  EXPECT_EQ(waits.total(), 0ms);
  EXPECT_EQ(waits.computed(), 0ms);
  EXPECT_EQ(second(kSecond / 4, 1), 750ms);
  EXPECT_EQ(waits.computed(), kSecond / 4);
}

TEST(SignOfLife, IsAReadyThreadOrAnyChange) {
  SignsOfLife signs;
  CoreLook look;
  EXPECT_TRUE(signs.seen(look)) << "the first look has nothing to compare with";
  EXPECT_FALSE(signs.seen(look));
  look.ready = 1;
  EXPECT_TRUE(signs.seen(look));
  EXPECT_TRUE(signs.seen(look)) << "it may be in line for long";
  look.ready = 0;
  EXPECT_FALSE(signs.seen(look));
  look.computed += 1ms;
  EXPECT_TRUE(signs.seen(look));
  look.waits[7] = 1ms;
  EXPECT_TRUE(signs.seen(look));
  look.waits.clear();
  EXPECT_TRUE(signs.seen(look)) << "a thread has ended";
  EXPECT_FALSE(signs.seen(look));
}

/// Ten looks, 20 ms apart, between which the run computes so long.
nanoseconds ten_looks(TimeSeen& seen, CoreLook now, std::chrono::microseconds computed) {
  for (int i = 0; i < 10; ++i) {
    now.computed += computed;
    seen.add(now, 20ms);
  }
  return seen.total();
}

TEST(TimeSeen, IsWhatTheRunHadBetweenLooks) {
  TimeSeen seen;
  const CoreLook now;
  seen.add(now, 3s);
  EXPECT_EQ(seen.total(), 0ms) << "the first look begins";
  EXPECT_EQ(ten_looks(seen, now, 20ms), 200ms);
}

TEST(TimeSeen, IsNotTimeInLineForACore) {
  TimeSeen seen;
  CoreLook now;
  now.idle = {{0, {}}};
  now.ready = 1;
  seen.add(now, 20ms);
  EXPECT_EQ(ten_looks(seen, now, 5ms), 50ms);
}

// Of a machine that was paused for a minute, nothing was seen.
TEST(TimeSeen, OfALongTimeBetweenTwoLooksIsAShortOne) {
  TimeSeen seen;
  CoreLook now;
  seen.add(now, 20ms);
  seen.add(now, 60s);
  EXPECT_GT(seen.total(), 0ms);
  EXPECT_LE(seen.total(), 1s);
  const auto before = seen.total();
  seen.add(now, 20ms);
  EXPECT_EQ(seen.total(), before + 20ms) << "and it counts on";
}

}  // namespace
}  // namespace opgrade
