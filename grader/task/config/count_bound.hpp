/// The bound of a rule on counts.
#pragma once

#include <string>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/files/yaml_reader.hpp"
#include "grader/task/folder/expression.hpp"

namespace opgrade {

struct CountBound {
  double value = 0;
  bool times_ideal = false;
};

/// Parses "1.2 x ideal", a number such as 0.5, or an expression of the sizes
/// (grader/task/folder/expression.hpp). Throws std::invalid_argument with the reason.
inline CountBound count_bound(const std::string& text, const Coordinates& sizes) {
  constexpr std::string_view kIdeal = " x ideal";
  const bool of_ideal = text.ends_with(kIdeal);
  const auto number = parse_number(text.substr(0, text.size() - (of_ideal ? kIdeal.size() : 0)));
  if (number && *number >= 0) return {*number, of_ideal};
  return {static_cast<double>(evaluate(text, sizes)), false};
}

}  // namespace opgrade
