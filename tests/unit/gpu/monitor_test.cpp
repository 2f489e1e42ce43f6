#include "grader/gpu/monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Values of nvml.h's nvmlClocksThrottleReason* constants.
TEST(GpuMonitor, HeatAndPowerAreThrottling) {
  EXPECT_THAT(throttle_words(0x04), ElementsAre("power cap"));
  EXPECT_THAT(throttle_words(0x08 | 0x40),
              ElementsAre("hardware slowdown", "hardware thermal slowdown"));
  EXPECT_THAT(throttle_words(0x20 | 0x80), ElementsAre("thermal slowdown", "power brake"));
}

TEST(GpuMonitor, IdlingAndSetClocksAreNot) {
  EXPECT_THAT(throttle_words(0), IsEmpty());
  EXPECT_THAT(throttle_words(0x01 | 0x02 | 0x10 | 0x100), IsEmpty());
}

TEST(GpuMonitor, NoSamplesOfADeviceThatIsNotThere) {
  const GpuMonitor monitor("GPU-00000000-0000-0000-0000-000000000000");
  EXPECT_FALSE(monitor.sample());
}

}  // namespace
}  // namespace opgrade
