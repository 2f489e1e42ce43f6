#include "grader/report/words/units.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Units, TimesTakeTheUnitThatFits) {
  EXPECT_EQ(show_ms(0), "0 ms");
  EXPECT_EQ(show_ms(0.0000005), "0.50 ns");
  EXPECT_EQ(show_ms(0.014156), "14.2 µs");
  EXPECT_EQ(show_ms(0.014156, ascii_glyphs()), "14.2 us");
  EXPECT_EQ(show_ms(12.1), "12.1 ms");
  EXPECT_EQ(show_ms(999.6), "1000 ms");
  EXPECT_EQ(show_ms(44606.2), "44.6 s");
  EXPECT_EQ(show_ms(108500), "1 min 49 s");
  EXPECT_EQ(show_ms(119999), "2 min 0 s");
  EXPECT_EQ(show_s(0.5), "500 ms");
}

TEST(Units, TimesThatAreNoTimesSaySo) {
  EXPECT_EQ(show_ms(kNaN), "NaN ms");
  EXPECT_EQ(show_ms(-1), "-1 ms");
}

TEST(Units, BytesAreBinary) {
  EXPECT_EQ(show_bytes(1023), "1023 B");
  EXPECT_EQ(show_bytes(1024), "1.00 KiB");
  EXPECT_EQ(show_bytes(126418944), "121 MiB");
  EXPECT_EQ(show_bytes(std::int64_t{4} << 30), "4.00 GiB");
}

TEST(Units, PointsHaveNoNeedlessDecimals) {
  EXPECT_EQ(show_points(5), "5");
  EXPECT_EQ(show_points(100), "100");
  EXPECT_EQ(show_points(12.5), "12.5");
  EXPECT_EQ(show_points(10.0 / 3), "3.33");
  EXPECT_EQ(show_points(-0.001), "0");
  EXPECT_EQ(show_points(kNaN), "NaN");
}

TEST(Units, AccuraciesAreTheCourses) {
  EXPECT_EQ(show_accuracy(0.8714), "0.8714");
  EXPECT_EQ(show_accuracy(0.886), "0.886");
  EXPECT_EQ(show_accuracy(7641.0 / 8767), "0.871564");
  EXPECT_EQ(show_accuracy(1), "1");
}

TEST(Units, AnotherAccuracyThanTheRequiredOneShowsBoth) {
  CaseReport c;
  EXPECT_EQ(show_accuracy(c), "");
  c.accuracy = 0.31;
  EXPECT_EQ(show_accuracy(c), "0.31");
  c.required_accuracy = 0.886;
  EXPECT_EQ(show_accuracy(c), "0.31 ≠ 0.886");
  c.accuracy = kNaN;
  EXPECT_EQ(show_accuracy(c, ascii_glyphs()), "NaN != 0.886");
}

TEST(Units, CaseTimeAddsTheLayersAndTheirRanges) {
  CaseReport c;
  c.calls.resize(2);
  c.calls[0].timed = c.calls[1].timed = true;
  c.calls[0].op_time = {.samples_ms = {9, 10, 12},
                        .median_ms = 10,
                        .lower_quartile_ms = 9.5,
                        .upper_quartile_ms = 11};
  c.calls[1].op_time = {
      .samples_ms = {29, 30}, .median_ms = 30, .lower_quartile_ms = 29.5, .upper_quartile_ms = 30};
  const auto time = op_time_of(c, Device::cpu);
  ASSERT_TRUE(time);
  EXPECT_DOUBLE_EQ(time->ms, 40);
  EXPECT_DOUBLE_EQ(time->spread, 2.0 / 40);
  EXPECT_EQ(time->samples, 2u);
  EXPECT_EQ(show_time(*time), "40.0 ms ±5.0 %");
}

TEST(Units, CaseTimeIsTheStatisticThatPointsCount) {
  Grade grade = test::passed_grade();
  CaseReport& c = grade.stages[0].cases[0];
  c.calls[0].op_time = c.calls[0].layer_time = summarize({1, 2, 6});
  c.calls[1].op_time = c.calls[1].layer_time = summarize({10, 20, 60});
  EXPECT_EQ(op_time_of(c, Device::cpu)->ms, 22);
  EXPECT_EQ(times_are(grade), "Times are medians of 3 calls, added up over the conv layers");
  Grade single = grade;
  for (CaseReport& one : single.stages.front().cases) one.calls.resize(1);
  EXPECT_EQ(times_are(single), "Times are medians of 3 calls");
  c.take = Statistic::fastest;
  EXPECT_EQ(op_time_of(c, Device::cpu)->ms, 11);
  EXPECT_EQ(times_are(grade),
            "Times are medians of 3 calls (but the fastest calls of cpu/high/1000), added up over "
            "the conv layers");
  c.take = Statistic::mean;
  EXPECT_EQ(op_time_of(c, Device::cpu)->ms, 33);
  EXPECT_EQ(layer_time_of(c, Device::cpu)->ms, 33);
  EXPECT_EQ(times_are(grade),
            "Times are medians of 3 calls (but the means of cpu/high/1000), added up over the conv "
            "layers");
}

TEST(Units, ATimeOfOneCallIsSaidToBe) {
  Grade grade = test::passed_grade();
  StageReport& stage = grade.stages[0];
  CaseReport other = stage.cases[0];
  for (CallReport& call : other.calls) call.op_time = summarize({1});
  other.id = "cpu/other/1";
  other.model = "other";
  other.batch = 1;
  stage.cases[0].calls[0].op_time = stage.cases[0].calls[1].op_time = summarize({1, 2, 6});
  stage.cases.push_back(other);
  EXPECT_THAT(
      times_are(grade),
      testing::StartsWith(R"(Times are medians of 3 calls; "about" is one call, not graded)"));
  stage.points.push_back({.name = "Op Time other/1"});
  EXPECT_THAT(times_are(grade),
              testing::StartsWith(R"(Times are medians of 3 calls; "about" is one call, added)"));
}

TEST(Units, ASingleSampleHasNoSpread) { EXPECT_EQ(show_time({12.1, 0, 1}), "about 12.1 ms"); }

TEST(Units, EmulatedAndUntimedCasesHaveNoTime) {
  CaseReport c = test::passed_grade().stages[0].cases[0];
  EXPECT_TRUE(op_time_of(c, Device::cuda));
  EXPECT_FALSE(op_time_of(c, Device::emulated));
  EXPECT_FALSE(layer_time_of(c, Device::emulated));
  c.calls[1].timed = false;
  EXPECT_FALSE(op_time_of(c, Device::cpu));
}

TEST(Units, KernelTimeAddsTheLayersThatAllHaveOne) {
  CaseReport c;
  c.calls.resize(2);
  c.calls[0].kernel_time_ms = 1.5;
  EXPECT_FALSE(kernel_time_of(c));
  c.calls[1].kernel_time_ms = 20;
  EXPECT_EQ(kernel_time_of(c), 21.5);
  EXPECT_EQ(show_kernels(kernel_time_of(c)), " (kernels 21.5 ms)");
  EXPECT_EQ(show_kernels(std::nullopt), "");
  EXPECT_FALSE(kernel_time_of({}));
}

TEST(Units, OpenPointsAreNeitherLostNorEarned) {
  EXPECT_EQ(show_sum(sum_of({{"a", 0, 10, {}, true}})), "open");
  EXPECT_EQ(show_sum(sum_of({{"a", 0, 10, {}, true}, {"b", 5, 5, {}, false}})), "5/15");
  EXPECT_EQ(show_sum(sum_of({{"b", 0, 5, {}, false}})), "0/5");
  EXPECT_EQ(show_sum({}), "");
}

}  // namespace
}  // namespace opgrade::report
