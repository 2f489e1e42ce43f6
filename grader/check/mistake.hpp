/// Names the likely mistake behind a wrong output.
#pragma once

#include <span>
#include <string>

#include "grader/check/conv_check.hpp"

namespace opgrade {

/// One sentence for the student, or empty when no known mistake fits. `k` are the weights (M,C,K,K)
/// and `report` the failed check of `output`. Slower than the check; reads a few images only.
std::string explain_mistake(const ConvOutput& output, std::span<const float> k,
                            const CheckReport& report);

}  // namespace opgrade
