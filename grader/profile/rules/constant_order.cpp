// Lanes of a warp read different constants, which come one after another.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void constant_order(const ProfileReport& counted, Evidence& evidence) {
  constexpr double kMore = 1.5;
  for (const ProfileCountRow& row : counted.counts) {
    const Costs costs = costs_of(row, evidence.rates());
    for (const ProfileAccessRow& access : row.accesses) {
      const auto now = static_cast<double>(access.wavefronts);
      const auto requests = static_cast<double>(access.requests);
      if (access.space != "constant" || now < kMore * requests) continue;
      evidence.add(row, &access, costs.saved_by(now - requests), now / requests, 1);
    }
  }
}

}  // namespace opgrade::rules
