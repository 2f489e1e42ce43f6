// The lanes of a warp use few bytes of each sector that they touch.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void uncoalesced(const ProfileReport& counted, Evidence& evidence) {
  constexpr double kMore = 1.5;
  for (const ProfileCountRow& row : counted.counts) {
    const Costs costs = costs_of(row, evidence.rates());
    for (const ProfileAccessRow& access : row.accesses) {
      const auto sectors = static_cast<double>(access.sectors);
      const auto least = static_cast<double>(access.least_sectors);
      if (access.space != "global" || access.use == "atomic" || sectors < kMore * least) continue;
      const auto requests = static_cast<double>(access.requests);
      ProfileAccessRow dense = access;
      dense.sectors = access.least_sectors;
      evidence.add(row, &access,
                   costs.saved_by(passes(access) - passes(dense),
                                  memory_clocks(row, access, evidence.rates()) -
                                      memory_clocks(row, dense, evidence.rates())),
                   sectors / requests, least / requests);
    }
  }
}

}  // namespace opgrade::rules
