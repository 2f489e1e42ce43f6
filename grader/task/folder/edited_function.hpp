/// A given source file in which a student changes one function.
#pragma once

#include <string>
#include <string_view>

namespace opgrade {

/// `given` with the body of `function` from `edited`. Throws std::invalid_argument with the reason
/// if the files differ outside of that body in anything but comments and layout, or if the body has
/// directives or raw strings.
std::string with_function_of(std::string_view given, std::string_view edited,
                             std::string_view function);

}  // namespace opgrade
