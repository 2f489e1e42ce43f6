#include <gtest/gtest.h>

#include "grader/run/session.hpp"

namespace opgrade {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(StepTime, ClocksThatCanAllBeRight) {
  EXPECT_TRUE((StepTime{microseconds(0), milliseconds(10), milliseconds(10)}.agree()));
  EXPECT_TRUE((StepTime{milliseconds(9), milliseconds(10), milliseconds(10)}.agree()));
  EXPECT_TRUE((StepTime{microseconds(0), microseconds(0), microseconds(0)}.agree()));
  // 2 % of a second are 20 ms.
  EXPECT_TRUE((StepTime{microseconds(0), milliseconds(981), milliseconds(1000)}.agree()));
}

TEST(StepTime, ClocksThatContradictEachOther) {
  EXPECT_FALSE((StepTime{microseconds(0), microseconds(1), milliseconds(10)}.agree()))
      << "the harness says a microsecond, the grader waited ten milliseconds";
  EXPECT_FALSE((StepTime{microseconds(0), milliseconds(970), milliseconds(1000)}.agree()));
  EXPECT_FALSE((StepTime{microseconds(0), milliseconds(11), milliseconds(10)}.agree()))
      << "longer inside than outside";
  EXPECT_FALSE((StepTime{milliseconds(11), milliseconds(10), milliseconds(10)}.agree()))
      << "longer on the device than around it";
}

TEST(StepTime, Adds) {
  StepTime sum{microseconds(1), microseconds(2), microseconds(3)};
  sum += {microseconds(10), microseconds(20), microseconds(30)};
  EXPECT_EQ(sum.device, microseconds(11));
  EXPECT_EQ(sum.harness, microseconds(22));
  EXPECT_EQ(sum.grader, microseconds(33));
}

}  // namespace
}  // namespace opgrade
