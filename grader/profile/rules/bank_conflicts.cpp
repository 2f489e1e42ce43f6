// Lanes of a warp use different words of one bank of shared memory, which takes them in turn.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void bank_conflicts(const ProfileReport& counted, Evidence& evidence) {
  constexpr double kMore = 1.5;
  for (const ProfileCountRow& row : counted.counts) {
    const Costs costs = costs_of(row, evidence.rates());
    for (const ProfileAccessRow& access : row.accesses) {
      const auto now = static_cast<double>(access.wavefronts);
      const auto least = static_cast<double>(access.least_wavefronts);
      // The addresses of atomic operations are data, such as the bin of a value.
      if (access.space != "shared" || access.use == "atomic" || now < kMore * least) continue;
      const auto requests = static_cast<double>(access.requests);
      evidence.add(row, &access, costs.saved_by(now - least), now / requests, least / requests);
    }
  }
}

}  // namespace opgrade::rules
