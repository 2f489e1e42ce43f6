#include "grader/profile/advice.hpp"

#include <algorithm>

#include "grader/profile/rule.hpp"

namespace opgrade {
namespace {

constexpr const char* kBehindOthers = "needless_arithmetic";
constexpr Rule kRules[] = {
    {"constant_memory", &rules::constant_memory}, {"shared_tile", &rules::shared_tile},
    {"register_tile", &rules::register_tile},     {"fused_copy", &rules::fused_copy},
    {"vector_loads", &rules::vector_loads},       {kBehindOthers, &rules::needless_arithmetic},
    {"idle_lanes", &rules::idle_lanes},           {"uncoalesced", &rules::uncoalesced},
    {"bank_conflicts", &rules::bank_conflicts},   {"constant_order", &rules::constant_order},
    {"crowded_atomics", &rules::crowded_atomics}, {"double_arithmetic", &rules::double_arithmetic},
};

constexpr double kWorthAStep = 0.05;  // of the kernels' time
constexpr std::size_t kMost = 3;

}  // namespace

std::vector<ProfileAdvice> advise(const ProfileReport& counted) {
  const GpuRates& rates = gpu_rates(counted.roofline);
  double total = 0;
  for (const ProfileCountRow& row : counted.counts) total += costs_of(row, rates).clocks();
  std::vector<ProfileAdvice> all;
  for (const Rule& rule : kRules) {
    Evidence evidence(rates);
    rule.look(counted, evidence);
    ProfileAdvice advice = evidence.advice(rule.name, total);
    if (advice.saving >= kWorthAStep) all.push_back(std::move(advice));
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &ProfileAdvice::saving);
  if (all.size() > kMost) all.resize(kMost);
  // Needless products belong to a tile, which the steps of the other rules change. By its saving
  // this rule would stand before the step that follows the rungs 4 and 6.
  std::ranges::stable_partition(
      all, [](const ProfileAdvice& advice) { return advice.rule != kBehindOthers; });
  return all;
}

}  // namespace opgrade
