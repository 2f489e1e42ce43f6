// Many lanes of a warp change one address by atomic operations, which happen one after another.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void crowded_atomics(const ProfileReport& counted, Evidence& evidence) {
  constexpr std::int64_t kCrowd = 8;
  for (const ProfileCountRow& row : counted.counts) {
    const Costs costs = costs_of(row, evidence.rates());
    for (const ProfileAccessRow& access : row.accesses) {
      if (access.use != "atomic" || access.crowd < kCrowd * access.requests) continue;
      const auto requests = static_cast<double>(access.requests);
      evidence.add(row, &access, costs.saved_by(passes(access) - requests),
                   static_cast<double>(access.crowd) / requests, 1);
    }
  }
}

}  // namespace opgrade::rules
