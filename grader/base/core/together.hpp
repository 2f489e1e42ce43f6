/// How the Op Times of several cases count together.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "grader/base/core/fields.hpp"

namespace opgrade {

/// `each` gives each case a share of the points; the others make one time of all cases.
enum class Together { sum, geometric_mean, each, worst };

inline constexpr std::array<std::string_view, 4> kTogetherNames{"sum", "geometric mean", "each",
                                                                "worst"};

constexpr std::string_view name_of(Together together) {
  return kTogetherNames[static_cast<std::size_t>(together)];
}

constexpr EnumNames enum_names(Together) { return {"a way to count together", kTogetherNames}; }

}  // namespace opgrade
