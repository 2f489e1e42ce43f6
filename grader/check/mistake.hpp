/// Names the likely mistake behind a wrong output.
#pragma once

#include <span>
#include <string>

#include "grader/check/conv_check.hpp"

namespace opgrade {

/// Empty when no known mistake fits. `k` are the weights (M,C,K,K)
/// and `report` the failed check of `output`. Slower than the check; reads a few images only.
Hint explain_mistake(const ConvOutput& output, std::span<const float> k, const CheckReport& report);

/// The next step for outputs that are wrong by rounding alone, where the config's tolerance is
/// this.
std::string rounding_advice(double tolerance);

}  // namespace opgrade
