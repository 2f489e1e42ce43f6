/// Named integers in an order: the sizes of a case, or a place in its output.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade {

struct Coordinate {
  std::string name;
  std::int64_t value = 0;

  friend bool operator==(const Coordinate&, const Coordinate&) = default;
};

using Coordinates = std::vector<Coordinate>;

/// "B=7 M=17", or with other text around the sign and between the pairs.
inline std::string text_of(const Coordinates& coordinates, std::string_view between = " ",
                           std::string_view sign = "=") {
  std::string text;
  for (const auto& [name, value] : coordinates) {
    if (!text.empty()) text += between;
    text += name;
    text += sign;
    text += std::to_string(value);
  }
  return text;
}

/// The value with this name; 0 if there is none.
inline std::int64_t value_of(const Coordinates& coordinates, std::string_view name) {
  const auto found = std::ranges::find(coordinates, name, &Coordinate::name);
  return found != coordinates.end() ? found->value : 0;
}

}  // namespace opgrade
