// Register tiles are filled word by word: a load of 16 bytes takes one instruction, and one pass
// where all lanes read the same. Rung 6 shows it.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void vector_loads(const ProfileReport& counted, Evidence& evidence) {
  constexpr double kFew = 0.3, kMany = 0.9;
  constexpr std::int64_t kCrowd = 16;
  for (const ProfileCountRow& row : counted.counts) {
    const double words = words_an_operation(row, is_shared_load);
    if (words < kFew || words >= kMany) continue;
    const ProfileAccessRow* largest = nullptr;
    double fewer = 0;
    for (const ProfileAccessRow& access : row.accesses) {
      if (!is_shared_load(access) || access.bytes > 4 * access.lanes) continue;
      const bool same =
          access.crowd >= kCrowd * access.requests && access.wavefronts == access.requests;
      fewer += (same ? 0.75 : 0.25) * static_cast<double>(access.requests);
      if (largest == nullptr || access.requests > largest->requests) largest = &access;
    }
    if (largest != nullptr)
      evidence.add(row, largest, costs_of(row, evidence.rates()).saved_by(fewer),
                   static_cast<double>(largest->bytes) / static_cast<double>(largest->lanes), 16);
  }
}

}  // namespace opgrade::rules
