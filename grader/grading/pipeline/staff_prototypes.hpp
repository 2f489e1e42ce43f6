/// Whether staff's functions have the parameters with which opgrade calls them.
#pragma once

#include <string>
#include <string_view>

#include "grader/grading/intake/intake.hpp"

namespace opgrade {

/// `wanted` has prototypes, one a line. Returns each function that its file ("generate.cpp" of
/// generate()) lacks or defines otherwise, with both prototypes; empty if there is none.
std::string other_prototypes(std::string_view wanted, const TakenFiles& files);

}  // namespace opgrade
