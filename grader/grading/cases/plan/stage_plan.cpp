#include "grader/grading/cases/plan/stage_plan.hpp"

#include <algorithm>
#include <utility>

#include "grader/task/config/case_rules.hpp"

namespace opgrade {
namespace {

Counts counts_of(const PlanFacts& facts, const Case& c) {
  const auto has_rule = [&](const CaseConfig& timed) {
    return std::ranges::any_of(facts.stage.counts,
                               [&](const CountRule& rule) { return applies_to(rule, timed); });
  };
  if (c.visit(has_rule, [](const auto&) { return false; })) return Counts::points;
  const bool advises =
      facts.advises && facts.device == Device::emulated && facts.represents == c.id;
  return advises ? Counts::advice : Counts::none;
}

/// Watches a network's case by its layers, because the whole case would take minutes.
void watch(const PlanFacts& facts, CasePlan& plan) {
  // A profile shows the plain build.
  const bool may_be_slow = !plan.what.is_timed() || !plan.profile;
  if (const auto* const network = std::get_if<NetworkCase>(&plan.what.kind)) {
    const auto network_of = [&](const std::string& model) {
      return facts.config.models.at(model).network;
    };
    plan.network = network_of(network->config->model);
    const bool by_batches =
        facts.batches_run && network_of(facts.stage.random_batches.model) == plan.network;
    if (!by_batches) plan.watch = Watch::layers;
  } else if (may_be_slow && facts.is_small(plan.what)) {
    plan.watch = plan.what.is<RandomBatchesCase>() ? Watch::small_batches : Watch::whole;
  }
}

CasePlan plan_case(const PlanFacts& facts, const Case& c) {
  CasePlan plan{.what = c, .work = facts.work(c)};
  plan.profile = facts.profiles && facts.represents == c.id;
  plan.counts = counts_of(facts, c);
  plan.vary = facts.device == Device::emulated;
  plan.interleave = plan.vary && facts.exchanges_words;
  plan.delay =
      plan.vary && facts.works_asynchronously && (c.is<NetworkCase>() || facts.is_small(c));
  if (facts.device == Device::emulated && facts.watches) watch(facts, plan);
  const auto& flags = facts.stage.flags;
  plan.races = facts.device == Device::cpu && c.is<RandomShapesCase>() &&
               std::ranges::find(flags, "-fopenmp") != flags.end();
  plan.sanitizers = facts.checks_itself && facts.device == Device::cpu && !c.is_timed();
  plan.needs_time = !facts.config.run_after_timeout;
  plan.needs_smaller = !facts.config.run_after_failure &&
                       c.visit(
                           [&](const CaseConfig& timed) {
                             return !decides_points(facts.config, facts.stage, timed);
                           },
                           [](const auto&) { return false; });
  return plan;
}

}  // namespace

std::vector<CasePlan> plan_cases(const PlanFacts& facts) {
  std::vector<CasePlan> plans;
  for (const Case& c : facts.cases) plans.push_back(plan_case(facts, c));
  std::ranges::stable_sort(plans, {}, [](const CasePlan& plan) {
    return std::pair(weight_of(plan.what).advice, plan.work);
  });
  // Only the first network's case is delayed: it takes long, and one case shows missing waits.
  bool is_first = true;
  for (CasePlan& plan : plans)
    if (plan.what.is<NetworkCase>()) plan.delay = std::exchange(is_first, false) && plan.delay;
  return plans;
}

}  // namespace opgrade
