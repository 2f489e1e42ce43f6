// Lanes of a warp have left the loop or never had work: blocks that fit the outputs keep them busy.
// Rung 8 shows it.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void idle_lanes(const ProfileReport& counted, Evidence& evidence) {
  constexpr double kFull = 32, kEnough = 0.92;
  for (const ProfileCountRow& row : counted.counts) {
    // The last steps of a tree of sums have no more work.
    if (row.exchanged > 0 && !sums_products(row)) continue;
    const ProfileAccessRow* largest = nullptr;
    double lanes = 0, requests = 0;
    for (const ProfileAccessRow& access : row.accesses) {
      if (access.use != "load") continue;
      lanes += static_cast<double>(access.lanes);
      requests += static_cast<double>(access.requests);
      if (largest == nullptr || access.requests > largest->requests) largest = &access;
    }
    const double active = requests > 0 ? lanes / requests : kFull;
    if (active > kEnough * kFull) continue;
    const Costs costs = costs_of(row, evidence.rates());
    const double share = active / kFull;
    const Costs full{costs.passes * share, costs.arithmetic * share, costs.memory};
    evidence.add(row, largest, costs.clocks() - full.clocks(), active, kFull);
  }
}

}  // namespace opgrade::rules
