// Each multiply-add loads its operands from the cache of global memory, where other threads of the
// block find them, too: the remedy is that of register_tile.cpp. Rung 2 shows it.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void direct_operands(const ProfileReport& counted, Evidence& evidence) {
  constexpr std::int64_t kOften = 4;
  constexpr double kFew = 0.5;
  for (const ProfileCountRow& row : counted.counts) {
    // Where a tile in shared memory has the operands, these loads fill it.
    if (!sums_products(row) || words_an_operation(row, is_shared_load) >= kFew) continue;
    const auto is_operand = [&](const ProfileAccessRow& access) {
      if (access.space != "global" || access.use != "load" || access.array == 0) return false;
      const auto& array = row.arrays.at(static_cast<std::size_t>(access.array - 1));
      return array.loads >= kOften * array.of_blocks;
    };
    if (are_operands(words_an_operation(row, is_operand)))
      add_register_tile(row, 0, evidence, is_operand);
  }
}

}  // namespace opgrade::rules
