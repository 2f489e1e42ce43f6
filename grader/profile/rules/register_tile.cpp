// Each multiply-add loads its operands from shared memory: a thread that computes several outputs
// uses a loaded value several times. Rungs 3 and 5 show it.
#include <algorithm>

#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void register_tile(const ProfileReport& counted, Evidence& evidence) {
  constexpr double kMany = 0.9, kTile = 0.5;  // a tile of 4 x 4 outputs loads 8 words for 16
  for (const ProfileCountRow& row : counted.counts) {
    if (words_an_operation(row, is_shared_load) < kMany) continue;
    // The product of a copied matrix changes as a whole once the copy is gone.
    const bool of_copy = std::ranges::any_of(counted.counts, [&](const ProfileCountRow& other) {
      return other.layer == row.layer && makes_copy(counted, other);
    });
    if (of_copy) continue;
    const Costs costs = costs_of(row, evidence.rates());
    const ProfileAccessRow* largest = nullptr;
    double now = 0;
    const auto is_operand = [](const ProfileAccessRow& access) {
      return is_shared_load(access) || is_uniform_load(access);
    };
    const double words = words_an_operation(row, is_operand);
    for (const ProfileAccessRow& access : row.accesses) {
      if (!is_operand(access)) continue;
      now += passes(access);
      if (largest == nullptr || access.requests > largest->requests) largest = &access;
    }
    evidence.add(row, largest, costs.saved_by(now * (1 - kTile / words)), words, kTile);
  }
}

}  // namespace opgrade::rules
