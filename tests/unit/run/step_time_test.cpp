#include "grader/run/step_time.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;

TEST(StepTime, ClaimsThatCanBeRight) {
  EXPECT_TRUE(agrees(milliseconds(10), milliseconds(10)));
  EXPECT_TRUE(agrees(microseconds(9701), milliseconds(10))) << "300 us of waking up";
  EXPECT_TRUE(agrees(milliseconds(981), milliseconds(1000))) << "2 % of a second are 20 ms";
}

TEST(StepTime, ClaimsThatContradictTheGradersClock) {
  EXPECT_FALSE(agrees(microseconds(1), milliseconds(10)));
  EXPECT_FALSE(agrees(milliseconds(970), milliseconds(1000)));
  EXPECT_FALSE(agrees(milliseconds(11), milliseconds(10))) << "longer inside than outside";
}

TEST(StepTime, TheClosestWitnessIsTheDevice) {
  StepTime time;
  time.harness = milliseconds(3);
  EXPECT_EQ(time.claimed(), milliseconds(3));
  time.device = milliseconds(2);
  EXPECT_EQ(time.claimed(), milliseconds(2));
}

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
  sum.done = microseconds(1);
  StepTime other;
  other.done = microseconds(10);
  other.proven = microseconds(20);
  other.stopped = microseconds(30);
  other.harness = microseconds(40);
  other.device = microseconds(50);
  sum += other;
  EXPECT_EQ(sum.done, microseconds(11));
  EXPECT_EQ(sum.proven, microseconds(20));
  EXPECT_EQ(sum.stopped, microseconds(30));
  EXPECT_EQ(sum.harness, microseconds(40));
  EXPECT_EQ(sum.device, microseconds(50));
}

}  // namespace
}  // namespace opgrade
