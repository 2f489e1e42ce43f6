#include "grader/grading/measure/claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/grading/measure/fake_target.hpp"

namespace opgrade {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(Claims, ThatCanBeRight) {
  EXPECT_TRUE(agrees(milliseconds(10), milliseconds(10)));
  EXPECT_TRUE(agrees(microseconds(9701), milliseconds(10))) << "300 us of waking up";
  EXPECT_TRUE(agrees(milliseconds(981), milliseconds(1000))) << "2 % of a second are 20 ms";
}

TEST(Claims, ThatContradictTheGradersClock) {
  EXPECT_FALSE(agrees(microseconds(1), milliseconds(10)));
  EXPECT_FALSE(agrees(milliseconds(970), milliseconds(1000)));
  EXPECT_FALSE(agrees(microseconds(9499), milliseconds(10))) << "300 us + 2 % are 500 us";
  EXPECT_FALSE(agrees(milliseconds(11), milliseconds(10))) << "longer inside than outside";
}

TEST(Claims, TheClosestWitnessIsTheDevice) {
  Measurement measurement{.calls = {{.use = CallUse::known_input, .harness = milliseconds(4)},
                                    {.harness = milliseconds(3)}}};
  EXPECT_THAT(claimed_times(measurement).samples_ms, testing::ElementsAre(3));
  measurement.calls[0].device = milliseconds(2);
  EXPECT_THAT(claimed_times(measurement).samples_ms, testing::ElementsAre(2))
      << "timed calls have no events on a GPU";
}

/// A short call on a GPU says "done" when its function has returned, and then waits.
TEST(Claims, AreOfTheWholeCallOnAGpu) {
  test::FakeCall call = test::device_call(milliseconds(2));
  call.sample.done = microseconds(4);
  test::FakeTarget target = test::always(call);
  CallReport report{.timed = true};
  report.measurement = measure_calls(target, test::device_plan()).measurement;
  set_times(report);
  EXPECT_EQ(report.disagreeing_calls, 0);
}

TEST(Claims, AreCountedAndNotScored) {
  test::FakeTarget target([](int n) {
    test::FakeCall call = test::host_call(milliseconds(10));
    if (n % 2 == 0) call.sample.harness = milliseconds(1);
    return call;
  });
  CallReport report{.timed = true};
  report.measurement = measure_calls(target, test::host_plan(5)).measurement;
  set_times(report);
  EXPECT_EQ(report.disagreeing_calls, 2) << "of the timed calls 1 to 5";
  EXPECT_EQ(report.op_time.minimum_ms, 10);
  EXPECT_EQ(report.process_time.minimum_ms, 1);
}

}  // namespace
}  // namespace opgrade
