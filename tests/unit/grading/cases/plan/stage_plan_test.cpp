// Which runs a case has, without a process.
#include "grader/grading/cases/plan/stage_plan.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/task/config/load.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;

Config planned_config() {
  Config config = parse_config(R"(opgrade: 1
name: planned
models:
  high: {network: fmnist-86, weights: fmnist-86-high}
  low: {network: fmnist-86, weights: fmnist-86-high}
stages:
  - name: s
    device: cpu
    cases:
      - {model: high, batch: 100, points: 1}
      - {model: low, batch: 10, points: 1}
    random_shapes: {count: 3, points: 1}
    random_batches: {model: high, count: 2, points: 1}
)",
                               "planned.yaml")
                      .config;
  return config;
}

/// Work is the batch of a listed case. All but networks are small.
PlanFacts facts_on(Device device, const Config& config) {
  const StageConfig& stage = config.stages[0];
  return {.config = config,
          .stage = stage,
          .device = device,
          .cases = cases_of(stage),
          .work =
              [](const Case& c) {
                return c.visit([](const CaseConfig& listed) { return 1.0 * listed.batch; },
                               [](const auto&) { return 0.0; });
              },
          .is_small = [](const Case& c) { return !c.is<NetworkCase>(); }};
}

const CasePlan& plan_of(const std::vector<CasePlan>& plans, const std::string& id) {
  return *std::ranges::find(plans, id, [](const CasePlan& plan) { return plan.what.id; });
}

std::vector<std::string> order_of(const std::vector<CasePlan>& plans) {
  std::vector<std::string> ids;
  for (const CasePlan& plan : plans) ids.push_back(plan.what.id);
  return ids;
}

TEST(StagePlan, TheCheapOnesFirstAndAdviceLast) {
  Config config = planned_config();
  EXPECT_THAT(order_of(plan_cases(facts_on(Device::cpu, config))),
              ElementsAre("s/random", "s/batches", "s/low/10", "s/high/100"));
  config.stages[0].random_shapes.advice = true;
  EXPECT_THAT(order_of(plan_cases(facts_on(Device::cpu, config))),
              ElementsAre("s/batches", "s/low/10", "s/high/100", "s/random"));
}

TEST(StagePlan, OnlyTheEmulatedDeviceWatchesAndVaries) {
  const Config config = planned_config();
  for (const Device device : {Device::cpu, Device::cuda})
    for (const CasePlan& plan : plan_cases(facts_on(device, config))) {
      EXPECT_EQ(plan.watch, Watch::none) << plan.what.id;
      EXPECT_FALSE(plan.vary || plan.interleave || plan.delay) << plan.what.id;
    }
  const auto plans = plan_cases(facts_on(Device::emulated, config));
  EXPECT_EQ(plan_of(plans, "s/random").watch, Watch::whole);
  EXPECT_EQ(plan_of(plans, "s/batches").watch, Watch::small_batches);
  EXPECT_EQ(plan_of(plans, "s/low/10").watch, Watch::layers);
  for (const CasePlan& plan : plans)
    EXPECT_TRUE(plan.vary && !plan.interleave && !plan.delay) << plan.what.id;
}

TEST(StagePlan, OnlySubmissionsThatUseThemRunInFurtherOrders) {
  const Config config = planned_config();
  for (const Device device : {Device::cpu, Device::cuda, Device::emulated}) {
    PlanFacts facts = facts_on(device, config);
    facts.is_small = [](const Case&) { return true; };
    facts.exchanges_words = true;
    for (const CasePlan& plan : plan_cases(facts)) {
      EXPECT_EQ(plan.interleave, device == Device::emulated) << plan.what.id;
      EXPECT_FALSE(plan.delay) << plan.what.id;
    }
    facts.exchanges_words = false;
    facts.works_asynchronously = true;
    for (const CasePlan& plan : plan_cases(facts)) {
      const bool is_second_network = plan.what.id == "s/high/100";
      EXPECT_EQ(plan.delay, device == Device::emulated && !is_second_network) << plan.what.id;
      EXPECT_FALSE(plan.interleave) << plan.what.id;
    }
    facts.is_small = [](const Case&) { return false; };
    for (const CasePlan& plan : plan_cases(facts))
      EXPECT_EQ(plan.delay, device == Device::emulated && plan.what.id == "s/low/10")
          << plan.what.id;
  }
}

TEST(StagePlan, RandomBatchesWatchTheLayersOfTheirNetwork) {
  const Config config = planned_config();
  PlanFacts facts = facts_on(Device::emulated, config);
  facts.batches_run = true;
  for (const char* id : {"s/low/10", "s/high/100"})
    EXPECT_EQ(plan_of(plan_cases(facts), id).watch, Watch::none) << id;
  Config other = planned_config();
  other.models.at("low").network = "another";
  PlanFacts two = facts_on(Device::emulated, other);
  two.batches_run = true;
  EXPECT_EQ(plan_of(plan_cases(two), "s/low/10").watch, Watch::layers);
  EXPECT_EQ(plan_of(plan_cases(two), "s/high/100").watch, Watch::none);
}

TEST(StagePlan, NothingIsWatchedIfTheCompilerCannot) {
  const Config config = planned_config();
  PlanFacts facts = facts_on(Device::emulated, config);
  facts.watches = false;
  for (const CasePlan& plan : plan_cases(facts)) EXPECT_EQ(plan.watch, Watch::none) << plan.what.id;
}

TEST(StagePlan, ASizesCaseIsWatchedUnlessItIsProfiledOrLarge) {
  Config config = planned_config();
  config.stages[0].cases.push_back({.model = "narrow", .sizes = {{"N", 3}}});
  PlanFacts facts = facts_on(Device::emulated, config);
  EXPECT_EQ(plan_of(plan_cases(facts), "s/narrow").watch, Watch::whole);
  facts.represents = "s/narrow";
  EXPECT_EQ(plan_of(plan_cases(facts), "s/narrow").watch, Watch::whole)
      << "no profile is asked for";
  facts.profiles = true;
  EXPECT_EQ(plan_of(plan_cases(facts), "s/narrow").watch, Watch::none);
  facts.profiles = false;
  facts.is_small = [](const Case&) { return false; };
  for (const char* id : {"s/narrow", "s/random", "s/batches"})
    EXPECT_EQ(plan_of(plan_cases(facts), id).watch, Watch::none) << id;
}

TEST(StagePlan, CountsForRulesAnywhereAndForAdviceOnTheEmulatedDevice) {
  Config config = planned_config();
  config.stages[0].counts.push_back({.model = "low", .batch = 10});
  for (const Device device : {Device::cpu, Device::cuda, Device::emulated}) {
    PlanFacts facts = facts_on(device, config);
    facts.represents = "s/high/100";
    facts.advises = true;
    const auto plans = plan_cases(facts);
    EXPECT_EQ(plan_of(plans, "s/low/10").counts, Counts::points);
    EXPECT_EQ(plan_of(plans, "s/high/100").counts,
              device == Device::emulated ? Counts::advice : Counts::none);
    EXPECT_EQ(plan_of(plans, "s/random").counts, Counts::none);
    facts.advises = false;
    EXPECT_EQ(plan_of(plan_cases(facts), "s/high/100").counts, Counts::none);
  }
}

TEST(StagePlan, RacesAndSanitizersOnACpu) {
  Config config = planned_config();
  PlanFacts facts = facts_on(Device::cpu, config);
  facts.checks_itself = true;
  for (const CasePlan& plan : plan_cases(facts)) {
    EXPECT_FALSE(plan.races) << plan.what.id;
    EXPECT_EQ(plan.sanitizers, !plan.what.is_timed()) << plan.what.id;
  }
  config.stages[0].flags = {"-O2", "-fopenmp"};
  for (const Device device : {Device::cpu, Device::cuda, Device::emulated})
    for (const CasePlan& plan : plan_cases(facts_on(device, config))) {
      EXPECT_EQ(plan.races, device == Device::cpu && plan.what.id == "s/random") << plan.what.id;
      EXPECT_FALSE(plan.sanitizers) << plan.what.id;
    }
}

TEST(StagePlan, OnlyTimedCasesWithoutPointsNeedASmallerOneThatPassed) {
  Config config = planned_config();
  config.stages[0].cases[0].points = 0;
  config.run_after_failure = config.run_after_timeout = false;
  for (const CasePlan& plan : plan_cases(facts_on(Device::cpu, config))) {
    EXPECT_EQ(plan.needs_smaller, plan.what.id == "s/high/100") << plan.what.id;
    EXPECT_TRUE(plan.needs_time) << plan.what.id;
  }
  config.run_after_failure = config.run_after_timeout = true;
  for (const CasePlan& plan : plan_cases(facts_on(Device::cpu, config)))
    EXPECT_FALSE(plan.needs_smaller || plan.needs_time) << plan.what.id;
}

}  // namespace
}  // namespace opgrade
