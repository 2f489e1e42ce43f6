#include "grader/config/count_bound.hpp"

#include "grader/files/yaml_reader.hpp"
#include "grader/tasks/folder/expression.hpp"

namespace opgrade {

CountBound count_bound(const std::string& text, const Coordinates& sizes) {
  constexpr std::string_view kIdeal = " x ideal";
  const bool of_ideal = text.ends_with(kIdeal);
  const auto number = parse_number(text.substr(0, text.size() - (of_ideal ? kIdeal.size() : 0)));
  if (number && *number >= 0) return {*number, of_ideal};
  return {static_cast<double>(evaluate(text, sizes)), false};
}

}  // namespace opgrade
