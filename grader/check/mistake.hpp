/// Names the likely mistake behind a wrong output.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "grader/check/conv_check.hpp"

namespace opgrade {

/// One sentence for the student, or empty when no known mistake fits. `k` are the weights (M,C,K,K)
/// and `report` the failed check of `output`. Slower than the check; reads a few images only.
std::string explain_mistake(const ConvOutput& output, std::span<const float> k,
                            const CheckReport& report);

/// True if the sentence says what was computed instead, by matching this one output. On another
/// shape the same code may look otherwise.
bool is_guess(std::string_view hint);

/// The next step for outputs that are wrong by rounding alone, where the config's tolerance is
/// this.
std::string rounding_advice(double tolerance);

}  // namespace opgrade
