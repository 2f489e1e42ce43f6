// The threads of a block load the same elements again and again: a tile in shared memory has each
// once. Rung 2 shows it.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void shared_tile(const ProfileReport& counted, Evidence& evidence) {
  constexpr std::int64_t kOften = 2;
  for (const ProfileCountRow& row : counted.counts) {
    const Costs costs = costs_of(row, evidence.rates());
    for (std::size_t i = 0; i < row.arrays.size(); ++i) {
      const ProfileArrayRow& array = row.arrays[i];
      if (array.loads < kOften * array.of_blocks || array.loads < 2 * kOften * array.of_grids)
        continue;
      const ProfileAccessRow* largest = nullptr;
      double now = 0, from_tile = 0;
      for (const ProfileAccessRow& access : row.accesses) {
        if (access.space != "global" || access.use != "load" || is_uniform_load(access) ||
            access.array != static_cast<int>(i + 1))
          continue;
        now += passes(access);
        from_tile += static_cast<double>(access.requests);
        if (largest == nullptr || access.requests > largest->requests) largest = &access;
      }
      if (largest == nullptr) continue;
      // The tile's elements are loaded once and stored once.
      const double saved = now - from_tile - 2 * static_cast<double>(array.of_blocks) / 32;
      evidence.add(row, largest, costs.saved_by(saved),
                   static_cast<double>(array.loads) / static_cast<double>(array.of_grids),
                   static_cast<double>(array.of_blocks) / static_cast<double>(array.of_grids));
    }
  }
}

}  // namespace opgrade::rules
