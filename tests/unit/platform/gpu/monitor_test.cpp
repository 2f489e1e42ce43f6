#include "grader/platform/gpu/monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Bits are the values of nvml.h's nvmlClocksThrottleReason* constants.
constexpr int kHighest = 1980;  // MHz

TEST(SlowedBy, HeatAndHardwareAtAnyClock) {
  for (const int clock : {kHighest, kHighest / 2}) {
    EXPECT_THAT(slowed_by(0x08 | 0x40, clock, kHighest),
                ElementsAre("hardware slowdown", "hardware thermal slowdown"));
    EXPECT_THAT(slowed_by(0x20 | 0x80, clock, kHighest),
                ElementsAre("thermal slowdown", "power brake"));
  }
}

TEST(SlowedBy, IdlingAndSetClocksAtNone) {
  for (const int clock : {kHighest, 345}) {
    EXPECT_THAT(slowed_by(0, clock, kHighest), IsEmpty());
    EXPECT_THAT(slowed_by(0x01 | 0x02 | 0x10 | 0x100, clock, kHighest), IsEmpty());
  }
}

TEST(SlowedBy, ThePowerCapBelowThreeQuartersOfTheClock) {
  EXPECT_THAT(slowed_by(0x04, kHighest, kHighest), IsEmpty());
  EXPECT_THAT(slowed_by(0x04, 1485, kHighest), IsEmpty()) << "75 % to the MHz";
  EXPECT_THAT(slowed_by(0x04, 1484, kHighest), ElementsAre("power cap"));
  EXPECT_THAT(slowed_by(0x04, 0, kHighest), ElementsAre("power cap"));
  EXPECT_THAT(slowed_by(0x04, 1485, 0), ElementsAre("power cap")) << "highest clock not known";
  EXPECT_THAT(slowed_by(0x04 | 0x20, kHighest, kHighest), ElementsAre("thermal slowdown"))
      << "the one does not excuse the other";
}

// A device at its power limit: some percent down in every sample. All must count.
TEST(SlowedBy, ALoadedDeviceKeepsItsSamples) {
  int kept = 0;
  for (int clock = 1545; clock < 1800; clock += 15)
    kept += slowed_by(0x04, clock, kHighest).empty() ? 1 : 0;
  EXPECT_EQ(kept, 17);
}

TEST(GpuMonitor, NoSamplesOfADeviceThatIsNotThere) {
  const GpuMonitor monitor("GPU-00000000-0000-0000-0000-000000000000");
  EXPECT_FALSE(monitor.sample());
}

}  // namespace
}  // namespace opgrade
