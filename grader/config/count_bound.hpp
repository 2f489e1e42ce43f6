/// The bound of a rule on counts.
#pragma once

#include <string>

#include "grader/core/coordinates.hpp"

namespace opgrade {

struct CountBound {
  double value = 0;
  bool times_ideal = false;
};

/// "1.2 x ideal", a number such as 0.5, or an expression of the sizes: grader/tasks/folder/
/// expression.hpp. Throws std::invalid_argument with the reason.
CountBound count_bound(const std::string& text, const Coordinates& sizes);

}  // namespace opgrade
