// Each multiply-add loads its operands from shared memory: a thread that computes several outputs
// uses a loaded value several times, and keeps its sums in registers. Rungs 3 and 5 show it.
#include <algorithm>

#include "grader/profile/rule.hpp"

namespace opgrade::rules {
namespace {

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
  for (const ProfileCountRow& row : counted.counts) {
    if (!sums_products(row) || !are_operands(words_an_operation(row, is_shared_load))) continue;
    double sums = 0;
    for (const ProfileAccessRow& access : row.accesses)
      if (is_sum(row, access)) sums += passes(access);
    add_register_tile(row, sums, evidence, [](const ProfileAccessRow& access) {
      return is_shared_load(access) || is_uniform_load(access);
    });
  }
}

}  // namespace opgrade::rules
