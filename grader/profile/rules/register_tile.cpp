// Each multiply-add loads its operands: a thread that computes several outputs uses a loaded value
// several times, and keeps its sums in registers. Rungs 3 and 5 show it.
#include <algorithm>

#include "grader/profile/rule.hpp"

namespace opgrade::rules {
namespace {

/// A load of global memory whose elements the threads of a block load again and again.
bool is_repeated_load(const ProfileCountRow& row, const ProfileAccessRow& access) {
  constexpr std::int64_t kOften = 4;
  if (access.space != "global" || access.use != "load" || access.array == 0) return false;
  const ProfileArrayRow& array = row.arrays.at(static_cast<std::size_t>(access.array - 1));
  return array.loads >= kOften * array.of_blocks;
}

/// The store of `sums[i] += ...` in shared memory.
bool is_sum(const ProfileCountRow& row, const ProfileAccessRow& access) {
  return access.space == "shared" && access.use == "store" &&
         std::ranges::any_of(row.accesses, [&](const ProfileAccessRow& load) {
           return is_shared_load(load) && load.line == access.line && load.file == access.file &&
                  load.requests == access.requests;
         });
}

}  // namespace

void register_tile(const ProfileReport& counted, Evidence& evidence) {
  constexpr double kMany = 0.9, kTile = 0.5;   // a tile of 4 x 4 outputs loads 8 words for 16
  constexpr double kFew = 0.5, kOperands = 3;  // of a multiply-add; more are of other work
  for (const ProfileCountRow& row : counted.counts) {
    // A load that fills a tile is no operand. One that all lanes share goes to constant memory
    // first.
    const bool direct = words_an_operation(row, is_shared_load) < kFew &&
                        words_an_operation(row, is_uniform_load) < kFew;
    const auto is_own = [&](const ProfileAccessRow& access) {
      return is_shared_load(access) || (direct && is_repeated_load(row, access));
    };
    const double own = words_an_operation(row, is_own);
    if (own < kMany || own > kOperands) continue;
    const Costs costs = costs_of(row, evidence.rates());
    const ProfileAccessRow* largest = nullptr;
    double now = 0, sums = 0;
    const auto is_operand = [&](const ProfileAccessRow& access) {
      return is_own(access) || is_uniform_load(access);
    };
    const double words = words_an_operation(row, is_operand);
    for (const ProfileAccessRow& access : row.accesses) {
      if (is_sum(row, access)) sums += passes(access);
      if (!is_operand(access)) continue;
      now += passes(access);
      if (largest == nullptr || access.requests > largest->requests) largest = &access;
    }
    evidence.add(row, largest, costs.saved_by(now * (1 - kTile / words) + sums), words, kTile);
  }
}

}  // namespace opgrade::rules
