#include "grader/course/results/pace.hpp"

#include <gtest/gtest.h>

#include <string>

namespace opgrade {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class PaceTest : public testing::Test {
 protected:
  Pace::Clock::time_point now{};
  Pace pace{[this] { return now; }};
  void at(int second) { now = Pace::Clock::time_point(seconds(second)); }
};

TEST_F(PaceTest, OneAfterTheOther) {
  EXPECT_EQ(pace.left(5), std::nullopt);
  pace.begin("a");
  at(4);
  EXPECT_EQ(pace.left(5), std::nullopt) << "none has ended";
  pace.end("a");
  pace.begin("b");
  at(10);
  pace.end("b");
  EXPECT_EQ(pace.left(3), seconds(15)) << "5 s each: the mean of 4 s and 6 s";
  EXPECT_EQ(pace.left(0), seconds(0));
}

// Ten jobs of 10 s, two at once: 50 s in all. The first ends after 10 s.
TEST_F(PaceTest, TwoAtOnceTakeHalfOfTheTime) {
  pace.begin("0");
  pace.begin("1");
  at(10);
  pace.end("0");
  EXPECT_EQ(pace.left(9), seconds(40)) << "the other ends now; then four rounds of two";
  pace.end("1");
  EXPECT_EQ(pace.left(8), seconds(40));
  EXPECT_EQ(pace.left(1), seconds(10)) << "one job does not run twice as fast";
}

TEST_F(PaceTest, ARunningJobNeedsTheRestOfItsTime) {
  pace.begin("0");
  at(4);
  pace.begin("1");
  at(10);
  pace.end("0");
  // Free after 0 s and 4 s, four jobs of 10 s on each.
  EXPECT_EQ(pace.left(9), seconds(44));
  EXPECT_EQ(pace.left(1), seconds(4)) << "it alone is open";
  at(30);
  EXPECT_EQ(pace.left(1), seconds(0)) << "longer than the mean: it may end at any moment";
  EXPECT_EQ(pace.left(3), seconds(10));
}

// Nothing tells when they began: 2 in 10 s.
TEST_F(PaceTest, JobsOfAClusterAtTheirCommonPace) {
  at(10);
  pace.end("0");
  pace.end("1");
  EXPECT_EQ(pace.left(3), seconds(15));
}

TEST_F(PaceTest, RoundsUpToASecond) {
  pace.begin("0");
  now += milliseconds(100);
  pace.end("0");
  EXPECT_EQ(pace.left(1), seconds(1));
}

}  // namespace
}  // namespace opgrade
