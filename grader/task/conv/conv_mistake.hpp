/// Names the likely mistake behind a wrong output of a convolution.
#pragma once

#include <span>

#include "grader/task/conv/conv_check.hpp"

namespace opgrade {

/// Empty if no known mistake fits. `k` are the weights (M,C,K,K) and `report` the failed check of
/// `output`. Slower than the check; reads a few images only.
Hint explain_mistake(const ConvOutput& output, std::span<const float> k, const CheckReport& report);

}  // namespace opgrade
