#include "grader/profile/advice.hpp"

#include <algorithm>

#include "grader/profile/rule.hpp"

namespace opgrade {
namespace {

constexpr Rule kRules[] = {
    {"constant_memory", &rules::constant_memory, false, &rules::direct_operands},
    {"shared_tile", &rules::shared_tile, false, &rules::direct_operands},
    {"fused_copy", &rules::fused_copy, false, &rules::register_tile},
    {"register_tile", &rules::register_tile},
    {"register_tile", &rules::direct_operands},
    {"vector_loads", &rules::vector_loads},
    {"needless_arithmetic", &rules::needless_arithmetic, true},
    {"idle_lanes", &rules::idle_lanes},
    {"uncoalesced", &rules::uncoalesced},
    {"bank_conflicts", &rules::bank_conflicts},
    {"constant_order", &rules::constant_order},
    {"crowded_atomics", &rules::crowded_atomics},
    {"double_arithmetic", &rules::double_arithmetic},
};

constexpr double kWorthAStep = 0.05;  // of the kernels' time
constexpr std::size_t kMost = 3;

struct Found {
  const Rule* rule = nullptr;
  ProfileAdvice advice;
  double rank = 0;
};

}  // namespace

std::vector<ProfileAdvice> advise(const ProfileReport& counted) {
  const GpuRates& rates = gpu_rates(counted.roofline);
  double total = 0;
  for (const ProfileCountRow& row : counted.counts) total += costs_of(row, rates).clocks();
  std::vector<Found> all;
  for (const Rule& rule : kRules) {
    Evidence evidence(rates);
    rule.look(counted, evidence);
    ProfileAdvice advice = evidence.advice(rule.name, total);
    const double saving = advice.saving;
    if (saving >= kWorthAStep) all.push_back({&rule, std::move(advice), saving});
  }
  std::ranges::stable_sort(all, std::ranges::greater(), &Found::rank);
  if (all.size() > kMost) all.resize(kMost);
  for (Found& found : all) {
    if (found.rule->last) found.rank = 0;
    for (const Found& other : all)
      if (found.rule->next == other.rule->look)
        found.rank = std::max(found.rank, other.advice.saving);
  }
  std::ranges::stable_sort(all, [](const Found& a, const Found& b) {
    return a.rank != b.rank ? a.rank > b.rank : a.rule < b.rule;
  });
  std::vector<ProfileAdvice> advice;
  for (Found& found : all) advice.push_back(std::move(found.advice));
  return advice;
}

}  // namespace opgrade
