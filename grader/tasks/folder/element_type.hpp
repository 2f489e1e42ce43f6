/// The types that a task's function may take.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace opgrade {

struct ElementType {
  std::string_view c_name;  ///< in the function's prototype
  std::size_t bytes;
  bool floating;
  double lowest, largest;  ///< of a whole number; 0 for others
};

inline constexpr std::array kElementTypes{
    ElementType{"float", 4, true, 0, 0},
    ElementType{"double", 8, true, 0, 0},
    ElementType{"int", 4, false, -2147483648.0, 2147483647.0},
    ElementType{"unsigned int", 4, false, 0, 4294967295.0},
    ElementType{"long long", 8, false, -9223372036854775808.0, 9223372036854774784.0},
    ElementType{"unsigned char", 1, false, 0, 255},
    ElementType{"signed char", 1, false, -128, 127},
};

/// The type of a name in C; null for any other. Names of <cstdint> and their like stand for one of
/// the table.
const ElementType* find_element_type(std::string_view name);

}  // namespace opgrade
