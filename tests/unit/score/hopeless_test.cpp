// The times with which a case can earn nothing, from the config alone.
#include "grader/score/hopeless.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace opgrade {
namespace {

StageConfig timed_stage(std::vector<TimeBound> zeros) {
  StageConfig stage;
  stage.name = "m3";
  for (const TimeBound& zero : zeros)
    stage.op_times.push_back(
        {.model = "m", .batch = 100, .points = 5, .full = {.value = 1}, .zero = zero});
  return stage;
}

std::optional<double> hopeless(const StageConfig& stage, const Config& config = {}) {
  return hopeless_ms(config, stage, {.model = "m", .batch = 100},
                     [](const OpTimeRule&) { return CaseWork{.bytes = 2e9, .flops = 4e9}; });
}

TEST(HopelessMs, IsTwiceTheTimeWithoutPoints) {
  EXPECT_EQ(hopeless(timed_stage({{.value = 200}})), 400);
  EXPECT_EQ(hopeless(timed_stage({{.value = 200}, {.value = 300}})), 600) << "of all its rules";
  EXPECT_EQ(hopeless(timed_stage({{.value = 300}, {.value = 200}})), 600);
}

TEST(HopelessMs, OfARateIsByTheWorkOfTheCase) {
  EXPECT_EQ(hopeless(timed_stage({{.value = 10, .unit = TimeBound::Unit::gbyte_s}})), 400);
  EXPECT_EQ(hopeless(timed_stage({{.value = 10, .unit = TimeBound::Unit::gflop_s}})), 800);
}

TEST(HopelessMs, IsNoneWhereAnyTimeMayMatter) {
  EXPECT_EQ(hopeless(timed_stage({})), std::nullopt) << "no rule, and one call anyway";
  EXPECT_EQ(hopeless(timed_stage({kNever})), std::nullopt);
  EXPECT_EQ(hopeless(timed_stage({{.value = 200}, kNever})), std::nullopt);
  EXPECT_EQ(hopeless(timed_stage({{.value = 3, .unit = TimeBound::Unit::reference}})),
            std::nullopt);
  StageConfig other = timed_stage({{.value = 200}});
  other.op_times[0].batch = 1000;
  EXPECT_EQ(hopeless(other), std::nullopt) << "the rule is of another case";
}

TEST(HopelessMs, IsNoneOfCasesThatCountTogether) {
  StageConfig stage = timed_stage({{.value = 200}});
  stage.op_times[0].cases = {"small", "large"};
  const auto small = hopeless_ms({}, stage, {.model = "small"}, [](auto&) { return CaseWork{}; });
  EXPECT_EQ(small, std::nullopt);
}

TEST(HopelessMs, IsNoneOfARankedCase) {
  Config config;
  config.ranking = RankingConfig{.stage = "m3", .model = "m", .batch = 100};
  const StageConfig stage = timed_stage({{.value = 200}});
  EXPECT_EQ(hopeless(stage, config), std::nullopt);
  config.ranking->batch = 1000;
  EXPECT_EQ(hopeless(stage, config), 400) << "another case is ranked";
  config.ranking = RankingConfig{.stage = "m2", .model = "m", .batch = 100};
  EXPECT_EQ(hopeless(stage, config), 400) << "another stage is";
}

TEST(HopelessMs, IsNoneWhereRoundingCouldGiveAPoint) {
  StageConfig stage = timed_stage({{.value = 200}});
  stage.op_times[0].step = 3;
  EXPECT_EQ(hopeless(stage), std::nullopt);
}

}  // namespace
}  // namespace opgrade
