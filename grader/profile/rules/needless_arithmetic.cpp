// The kernel computes more than the task asks for, such as rows of a tile that no output uses, and
// loads the operands from shared memory. Rung 7 shows it.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void needless_arithmetic(const ProfileReport& counted, Evidence& evidence) {
  constexpr double kMore = 1.3;
  for (const ProfileCountRow& row : counted.counts) {
    const auto layer = static_cast<std::size_t>(row.layer);
    if (layer >= counted.layers.size() || counted.layers[layer].flops <= 0) continue;
    if (!sums_products(row)) continue;  // a tree of sums is no tile
    const double needed = counted.layers[layer].flops / 2;
    const double done = multiply_adds(row);
    if (done < kMore * needed) continue;
    const Costs costs = costs_of(row, evidence.rates());
    const double needless = 1 - needed / done;
    double operands = 0;
    for (const ProfileAccessRow& access : row.accesses)
      if (is_shared_load(access)) operands += passes(access);
    const Costs fewer{costs.passes - needless * operands, costs.arithmetic * needed / done,
                      costs.memory};
    evidence.add(row, nullptr, costs.clocks() - fewer.clocks(), done, needed);
  }
}

}  // namespace opgrade::rules
