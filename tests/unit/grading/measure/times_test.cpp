#include "grader/grading/measure/times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace opgrade {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;

/// A timed layer with calls of 3, 1 and 5 ms in a layer of twice that.
CallReport timed_layer() {
  CallReport report{.timed = true};
  for (const int time : {3, 1, 5})
    report.measurement.calls.push_back({.done = milliseconds(time),
                                        .layer = milliseconds(2 * time),
                                        .harness = milliseconds(time)});
  return report;
}

TEST(Times, EachStatisticIsOfTheSameSamples) {
  CallReport report = timed_layer();
  set_times(report);
  EXPECT_THAT(report.op_time.samples_ms, ElementsAre(3, 1, 5));
  EXPECT_EQ(value_of(report.op_time, Statistic::median), 3);
  EXPECT_EQ(value_of(report.op_time, Statistic::fastest), 1);
  EXPECT_EQ(value_of(report.op_time, Statistic::mean), 3);
}

TEST(Times, AreThereOnlyWhereTimed) {
  CallReport report = timed_layer();
  report.timed = false;
  set_times(report);
  EXPECT_TRUE(report.op_time.samples_ms.empty());
  EXPECT_TRUE(report.layer_time.samples_ms.empty());
  EXPECT_EQ(report.process_time.samples_ms.size(), 3) << "claims stay for staff";
}

TEST(Times, OfAWholeLayer) {
  CallReport report = timed_layer();
  report.measurement.whole_layer = "the call cannot be bounded";
  set_times(report);
  EXPECT_EQ(report.op_time.samples_ms, report.layer_time.samples_ms);
  EXPECT_THAT(report.op_time.samples_ms, ElementsAre(6, 2, 10));
}

/// The cost of an empty call ends at zero, kernels outside the call are added.
TEST(Times, AddAndTakeOffEachAdjustment) {
  CallReport report = timed_layer();
  report.measurement.adjustments = {
      {"an empty call", -2, -4}, {"kernels outside", 1.5, 0}, {"prolog and epilog", 0, 10}};
  set_times(report);
  EXPECT_THAT(report.op_time.samples_ms, ElementsAre(2.5, 1.5, 4.5));
  EXPECT_THAT(report.layer_time.samples_ms, ElementsAre(12, 10, 16));
  EXPECT_EQ(report.measurement.calls[0].done, milliseconds(3)) << "the raw time stays";
}

TEST(Times, AreTheSameHoweverOftenTheyAreSet) {
  CallReport report = timed_layer();
  report.measurement.adjustments = {{"kernels outside", 1.5, 0}};
  set_times(report);
  const auto once = report.op_time.samples_ms;
  set_times(report);
  EXPECT_EQ(report.op_time.samples_ms, once);
}

TEST(Times, OfEachProcessHaveItsOwnAdjustments) {
  CallReport report{.timed = true};
  for (const double cost : {-0.5, -0.25}) {
    CallReport process = timed_layer();
    process.measurement.calls.resize(2);
    process.measurement.adjustments = {{"an empty call", cost, cost},
                                       {"of its second call", 4, 0, 1}};
    append(report.measurement, process.measurement);
  }
  report.measurement.adjustments.push_back({"kernels outside", 8, 0});
  set_times(report);
  EXPECT_THAT(report.op_time.samples_ms, ElementsAre(10.5, 12.5, 10.75, 12.75));
  EXPECT_THAT(report.layer_time.samples_ms, ElementsAre(5.5, 1.5, 5.75, 1.75));
  Measurement whole;
  append(whole, {.whole_layer = "why"});
  append(whole, {});
  EXPECT_EQ(whole.whole_layer, "why");
}

TEST(Times, CountsAreOfTheRawCalls) {
  CallReport report = timed_layer();
  report.device_state = DeviceState{};
  auto& calls = report.measurement.calls;
  calls[0].busy = milliseconds(1);
  calls[1].use = CallUse::throttled;
  calls[2].late = true;
  calls.push_back({.use = CallUse::warm_up, .busy = milliseconds(1), .harness = milliseconds(50)});
  set_times(report);
  EXPECT_EQ(report.busy_calls, 1);
  EXPECT_EQ(report.late_calls, 1);
  EXPECT_EQ(report.disagreeing_calls, 0);
  EXPECT_EQ(report.device_state->throttled_calls, 1);
  EXPECT_EQ(report.op_time.samples_ms.size(), 2);
}

}  // namespace
}  // namespace opgrade
