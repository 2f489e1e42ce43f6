/// What students see of a case.
#pragma once

#include <array>
#include <string_view>

#include "grader/base/core/fields.hpp"

namespace opgrade {

enum class Visibility {
  open,
  name,            ///< its name, outcome and points
  hidden,          ///< outcome and points
  after_deadline,  ///< like `hidden` until no submission is accepted any more, then like `open`
};

inline constexpr std::array<std::string_view, 4> kVisibilityNames{"open", "name", "hidden",
                                                                  "after deadline"};
constexpr EnumNames enum_names(Visibility) { return {"a visibility", kVisibilityNames}; }

}  // namespace opgrade
