/// Whole-number expressions of a task's sizes: extents, bounds, constraints.
#pragma once

#include <cstdint>
#include <string_view>

#include "grader/base/core/coordinates.hpp"

namespace opgrade {

/// Evaluates integers, names of sizes, + - * / %, comparisons (1 or 0), parentheses, min(a, b),
/// max(a, b), ceil_div(a, b) and pow2_ceil(a) as C does with 64 bits. Throws std::invalid_argument
/// with the reason: a syntax error, an unknown name, a division by zero, a number beyond 64 bits.
std::int64_t evaluate(std::string_view expression, const Coordinates& sizes);

}  // namespace opgrade
