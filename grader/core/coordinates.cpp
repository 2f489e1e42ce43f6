#include "grader/core/coordinates.hpp"

#include <algorithm>

namespace opgrade {

std::string text_of(const Coordinates& coordinates, std::string_view between,
                    std::string_view sign) {
  std::string text;
  for (const auto& [name, value] : coordinates) {
    if (!text.empty()) text += between;
    text += name;
    text += sign;
    text += std::to_string(value);
  }
  return text;
}

std::int64_t value_of(const Coordinates& coordinates, std::string_view name) {
  const auto found = std::ranges::find(coordinates, name, &Coordinate::name);
  return found != coordinates.end() ? found->value : 0;
}

}  // namespace opgrade
