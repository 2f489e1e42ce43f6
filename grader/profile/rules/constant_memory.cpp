// All lanes of a warp load the same word of a small array: the constant cache broadcasts it without
// a pass through the load units. Rung 1 shows it.
#include <algorithm>

#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void constant_memory(const ProfileReport& counted, Evidence& evidence) {
  constexpr std::int64_t kConstantBytes = 64 * 1024, kOften = 8, kSmall = 2;
  for (const ProfileCountRow& row : counted.counts) {
    const Costs costs = costs_of(row, evidence.rates());
    for (const ProfileAccessRow& access : row.accesses) {
      if (!is_uniform_load(access) || access.array == 0) continue;
      const auto& array = row.arrays.at(static_cast<std::size_t>(access.array - 1));
      if (array.bytes > kConstantBytes || array.loads < kOften * array.of_grids) continue;
      // One of two operands of the same size grows with the problem.
      const bool small = std::ranges::any_of(row.arrays, [&](const ProfileArrayRow& other) {
        return other.bytes >= kSmall * array.bytes;
      });
      if (!small) continue;
      evidence.add(row, &access, costs.saved_by(passes(access)),
                   static_cast<double>(access.requests), 0);
    }
  }
}

}  // namespace opgrade::rules
