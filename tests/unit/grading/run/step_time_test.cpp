#include "grader/grading/run/step_time.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

using std::chrono::microseconds;
using std::chrono::nanoseconds;

TEST(StepTime, ClaimsBeyondADayAreADay) {
  StepTime time;
  protocol::Reply reply;
  reply.elapsed_ns = INT64_MIN;
  reply.device_ns = INT64_MAX;
  take_claims(time, reply);
  EXPECT_EQ(time.harness, nanoseconds(-std::chrono::hours(24)));
  EXPECT_EQ(time.device, nanoseconds(std::chrono::hours(24)));
}

TEST(StepTime, Adds) {
  StepTime sum;
  sum.until_done = microseconds(1);
  StepTime other;
  other.until_done = microseconds(10);
  other.until_proven = microseconds(20);
  other.until_stopped = microseconds(30);
  other.harness = microseconds(40);
  other.device = microseconds(50);
  sum += other;
  EXPECT_EQ(sum.until_done, microseconds(11));
  EXPECT_EQ(sum.until_proven, microseconds(20));
  EXPECT_EQ(sum.until_stopped, microseconds(30));
  EXPECT_EQ(sum.harness, microseconds(40));
  EXPECT_EQ(sum.device, microseconds(50));
}

}  // namespace
}  // namespace opgrade
