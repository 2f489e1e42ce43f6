#include "grader/base/core/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace opgrade {
namespace {

TEST(Statistics, NothingGivesAnEmptySummary) {
  const TimeSummary s = summarize({});
  EXPECT_TRUE(s.samples_ms.empty());
  EXPECT_EQ(s.median_ms, 0);
  EXPECT_EQ(s.spread(), 0);
}

TEST(Statistics, OneSampleIsEveryStatistic) {
  const TimeSummary s = summarize({4.5});
  EXPECT_EQ(s.median_ms, 4.5);
  EXPECT_EQ(s.lower_quartile_ms, 4.5);
  EXPECT_EQ(s.upper_quartile_ms, 4.5);
  EXPECT_EQ(s.minimum_ms, 4.5);
  EXPECT_EQ(s.maximum_ms, 4.5);
  EXPECT_EQ(s.spread(), 0);
}

TEST(Statistics, QuartilesOfType7ByHand) {
  // R: quantile(c(7, 1, 3, 10), c(.25, .5, .75), type = 7) is 2.5, 5, 7.75.
  const TimeSummary s = summarize({7, 1, 3, 10});
  EXPECT_DOUBLE_EQ(s.lower_quartile_ms, 2.5);
  EXPECT_DOUBLE_EQ(s.median_ms, 5);
  EXPECT_DOUBLE_EQ(s.upper_quartile_ms, 7.75);
  EXPECT_EQ(s.minimum_ms, 1);
  EXPECT_EQ(s.maximum_ms, 10);
  EXPECT_DOUBLE_EQ(s.spread(), (7.75 - 2.5) / 5);
}

TEST(Statistics, TheOneThatCounts) {
  const TimeSummary s = summarize({8, 1, 3});
  EXPECT_EQ(value_of(s, Statistic::median), 3);
  EXPECT_EQ(value_of(s, Statistic::fastest), 1);
  EXPECT_EQ(value_of(s, Statistic::mean), 4);
  EXPECT_EQ(value_of(summarize({}), Statistic::mean), 0);
}

TEST(Statistics, SamplesKeepTheirOrder) {
  EXPECT_EQ(summarize({3, 1, 2}).samples_ms, (std::vector<double>{3, 1, 2}));
}

TEST(Statistics, SpreadOfZerosIsNoDivisionByZero) { EXPECT_EQ(summarize({0, 0, 0}).spread(), 0); }

TEST(TimeSummary, TheMedianGetsSurerWithSamplesTheirSpreadDoesNot) {
  // 1.96 * 1.2533 / 1.349 * (interquartile range 2 / median 3) / sqrt(5)
  const TimeSummary few = summarize({1, 2, 3, 4, 5});
  EXPECT_NEAR(few.uncertainty(), 0.5429, 1e-4);
  std::vector<double> many;
  for (int i = 0; i < 20; ++i) many.insert(many.end(), {1, 2, 3, 4, 5});
  EXPECT_DOUBLE_EQ(summarize(many).spread(), few.spread());
  EXPECT_NEAR(summarize(many).uncertainty(), 0.5429 / std::sqrt(20), 1e-4);
  EXPECT_EQ(summarize({1.0}).uncertainty(), 0);
}

}  // namespace
}  // namespace opgrade
