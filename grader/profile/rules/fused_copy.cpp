// A kernel only rearranges an array in device memory for the next one: the next one can gather its
// elements itself. Rung 4 shows it.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void fused_copy(const ProfileReport& counted, Evidence& evidence) {
  for (const ProfileCountRow& row : counted.counts) {
    if (!makes_copy(counted, row)) continue;
    const ProfileAccessRow* store = nullptr;
    for (const ProfileAccessRow& access : row.accesses)
      if (access.space == "global" && access.use == "store") store = &access;
    std::int64_t different = 0;
    for (const ProfileArrayRow& array : row.arrays) different += array.of_grids;
    evidence.add(row, store, costs_of(row, evidence.rates()).clocks(),
                 store != nullptr ? static_cast<double>(store->bytes) : 0,
                 static_cast<double>(4 * different));
  }
}

}  // namespace opgrade::rules
