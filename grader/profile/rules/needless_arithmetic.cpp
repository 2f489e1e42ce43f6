// The kernel computes more than the task asks for, such as rows of a tile that no output uses, and
// its arithmetic is near the limit. Rung 7 shows it.
#include "grader/profile/rule.hpp"

namespace opgrade::rules {

void needless_arithmetic(const ProfileReport& counted, Evidence& evidence) {
  constexpr double kMore = 1.3, kNearLimit = 0.5;
  for (const ProfileCountRow& row : counted.counts) {
    const auto layer = static_cast<std::size_t>(row.layer);
    if (layer >= counted.layers.size() || counted.layers[layer].flops <= 0) continue;
    const double needed = counted.layers[layer].flops / 2;
    const double done = static_cast<double>(row.of_float.instructions());
    const Costs costs = costs_of(row, evidence.rates());
    if (done < kMore * needed || costs.arithmetic < kNearLimit * costs.clocks()) continue;
    evidence.add(row, nullptr, costs.clocks() * (1 - needed / done), done, needed);
  }
}

}  // namespace opgrade::rules
