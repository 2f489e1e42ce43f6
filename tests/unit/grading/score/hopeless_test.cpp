// The times with which a case can earn nothing, from the config alone.
#include "grader/grading/score/hopeless.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace opgrade {
namespace {

using testing::DoubleNear;
using testing::Matcher;
using testing::Optional;

StageConfig timed_stage(std::vector<TimeBound> zeros) {
  StageConfig stage;
  stage.name = "m3";
  for (const TimeBound& zero : zeros)
    stage.op_times.push_back(
        {.model = "m", .batch = 100, .points = 5, .full = {.value = 1}, .zero = zero});
  return stage;
}

std::optional<double> hopeless(const StageConfig& stage, const Config& config = {}) {
  return hopeless_ms(config, stage, {.model = "m", .batch = 100}, [](const OpTimeRule&) {
    return CaseWork{.bytes = 2e9, .flops = 4e9, .least_ms = 3};
  });
}

/// Twice the time from which none is left, and what rounding may take off.
Matcher<std::optional<double>> twice(double ms) { return Optional(DoubleNear(2 * ms, 0.02 * ms)); }

TEST(HopelessMs, IsTwiceTheTimeWithoutPoints) {
  EXPECT_THAT(hopeless(timed_stage({{.value = 200}})), twice(200));
  EXPECT_THAT(hopeless(timed_stage({{.value = 200}, {.value = 300}})), twice(300))
      << "of all rules";
  EXPECT_THAT(hopeless(timed_stage({{.value = 300}, {.value = 200}})), twice(300));
}

/// A time of 201.9 ms is graded as 202 ms or as 200 ms.
TEST(HopelessMs, IsWhereNoRoundingLeadsBelowTheLimit) {
  for (const double zero : {0.004, 0.9, 3.0, 201.5, 1234.5})
    for (const double step : {0.0, kTimeShare, 0.02, 0.2}) {
      StageConfig stage = timed_stage({{.value = zero}});
      stage.op_times[0].step = step;
      const auto limit = hopeless(stage);
      ASSERT_TRUE(limit);
      for (double ms = *limit / 2; ms < 2 * *limit; ms *= 1.0007)
        EXPECT_GE(graded_time(ms, step), zero) << ms << " " << step;
    }
}

TEST(HopelessMs, OfARateIsByTheWorkOfTheCase) {
  EXPECT_THAT(hopeless(timed_stage({{.value = 10, .unit = TimeBound::Unit::gbyte_s}})), twice(200));
  EXPECT_THAT(hopeless(timed_stage({{.value = 10, .unit = TimeBound::Unit::gflop_s}})), twice(400));
  EXPECT_THAT(hopeless(timed_stage({{.value = 0.1, .unit = TimeBound::Unit::roofline}})),
              twice(30));
}

TEST(HopelessMs, IsNoneWhereAnyTimeMayMatter) {
  EXPECT_EQ(hopeless(timed_stage({kNever})), std::nullopt);
  EXPECT_EQ(hopeless(timed_stage({{.value = 200}, kNever})), std::nullopt);
  EXPECT_EQ(hopeless(timed_stage({{.value = 3, .unit = TimeBound::Unit::reference}})),
            std::nullopt);
}

/// Its one call is made a second time only if the first one may have been long by chance.
TEST(HopelessMs, OfATimeThatIsOnlyShownIsWhatNoFirstCallTakes) {
  EXPECT_EQ(hopeless(timed_stage({})), 100);
  StageConfig other = timed_stage({{.value = 200}});
  other.op_times[0].batch = 1000;
  EXPECT_EQ(hopeless(other), 100) << "the rule is of another case";
  Config config;
  config.timing.repetitions = 15;
  EXPECT_EQ(hopeless(other, config), std::nullopt) << "staff want the calls";
}

std::optional<double> hopeless_small(const StageConfig& stage) {
  return hopeless_ms({}, stage, {.model = "small"}, [](const OpTimeRule& rule) {
    EXPECT_TRUE(rule.cases.empty()) << "of one case";
    return CaseWork{.bytes = 2e9};
  });
}

TEST(HopelessMs, OfCasesThatCountTogetherIsWhereOneDecidesAlone) {
  StageConfig stage = timed_stage({{.value = 200}});
  OpTimeRule& rule = stage.op_times[0];
  rule.cases = {"small", "large"};
  rule.batch = 0;
  EXPECT_EQ(hopeless_small(stage), std::nullopt) << "of a geometric mean others may make up for it";
  for (const Together together : {Together::sum, Together::each, Together::worst}) {
    rule.together = together;
    EXPECT_THAT(hopeless_small(stage), twice(200));
  }
  rule.zero = {.value = 10, .unit = TimeBound::Unit::gbyte_s};
  EXPECT_THAT(hopeless_small(stage), twice(200)) << "the worst one's own";
  rule.together = Together::sum;
  EXPECT_EQ(hopeless_small(stage), std::nullopt) << "a bound that the work of all makes";
}

TEST(HopelessMs, OfASlopeIsByTheBoundOfEachCase) {
  StageConfig stage = timed_stage({kNever});
  OpTimeRule& rule = stage.op_times[0];
  rule.cases = {"small", "large"};
  rule.batch = 0;
  rule.slope = {.over = "n", .below = {.value = 300}};
  EXPECT_THAT(hopeless_small(stage), twice(300));
  rule.slope.below = kNever;
  EXPECT_EQ(hopeless_small(stage), std::nullopt);
}

CaseReport took(double ms, Outcome outcome = Outcome::passed) {
  CaseReport report;
  report.outcome = outcome;
  CallReport& call = report.calls.emplace_back();
  call.timed = true;
  call.op_time = summarize({ms, 2 * ms});
  return report;
}

TEST(CaseTimes, AreBeyondIfACaseWithNoMoreWorkIs) {
  CaseTimes times;
  EXPECT_EQ(times.least_beyond(400, 1e9), std::nullopt);
  times.add(took(500), 1e6);
  EXPECT_EQ(times.least_beyond(400, 1e9), 500);
  EXPECT_EQ(times.least_beyond(400, 1e6), 500);
  EXPECT_EQ(times.least_beyond(400, 1e5), std::nullopt) << "a smaller one may take less";
  EXPECT_EQ(times.least_beyond(500, 1e9), std::nullopt) << "its fastest call";
  times.add(took(450), 1e5);
  EXPECT_EQ(times.least_beyond(400, 1e9), 450);
}

TEST(CaseTimes, AreOfTimedCasesThatPassed) {
  CaseTimes times;
  times.add(took(500), 0);
  times.add(took(500, Outcome::wrong_output), 1e6);
  times.add(took(500, Outcome::not_credible), 1e6);
  times.add({}, 1e6);
  EXPECT_EQ(times.least_beyond(400, 1e9), std::nullopt);
}

TEST(HopelessMs, IsNoneOfARankedCase) {
  Config config;
  config.ranking = RankingConfig{.stage = "m3", .model = "m", .batch = 100};
  const StageConfig stage = timed_stage({{.value = 200}});
  EXPECT_EQ(hopeless(stage, config), std::nullopt);
  config.ranking->batch = 1000;
  EXPECT_THAT(hopeless(stage, config), twice(200)) << "another case is ranked";
  config.ranking = RankingConfig{.stage = "m2", .model = "m", .batch = 100};
  EXPECT_THAT(hopeless(stage, config), twice(200)) << "another stage is";
}

std::optional<double> far_behind(const StageConfig& stage, const Config& config,
                                 std::optional<double> class_ms) {
  return far_behind_ms(
      config, stage, {.model = "m", .batch = 100}, [](const OpTimeRule&) { return CaseWork{}; },
      class_ms);
}

TEST(FarBehindMs, IsOfARankedCaseWhoseTimeGivesNothing) {
  Config config;
  config.ranking = RankingConfig{.stage = "m3", .model = "m", .batch = 100};
  const StageConfig stage = timed_stage({{.value = 200}});
  EXPECT_THAT(far_behind(stage, config, 80), twice(200)) << "until then there are points";
  EXPECT_EQ(far_behind(stage, config, 800), 800);
  EXPECT_EQ(far_behind(timed_stage({}), config, 80), 80) << "its rank alone counts";
  EXPECT_EQ(far_behind(stage, config, std::nullopt), std::nullopt) << "the class is not known";
  EXPECT_EQ(far_behind(timed_stage({kNever}), config, 800), std::nullopt);
  config.ranking->batch = 1000;
  EXPECT_EQ(far_behind(stage, config, 800), std::nullopt) << "another case is ranked";
  EXPECT_EQ(far_behind(stage, {}, 800), std::nullopt) << "none is";
}

TEST(HopelessMs, IsNoneWhereRoundingCouldGiveAPoint) {
  StageConfig stage = timed_stage({{.value = 200}});
  stage.op_times[0].step = 3;
  EXPECT_EQ(hopeless(stage), std::nullopt);
}

}  // namespace
}  // namespace opgrade
