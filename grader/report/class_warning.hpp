/// Signs in a class's outcomes that its config is wrong, not the submissions.
#pragma once

#include <span>
#include <string>

#include "grader/core/outcome.hpp"

namespace opgrade::report {

/// True if no submission is right.
bool none_right(std::span<const Outcome> outcomes);

/// For staff, one sentence with the next action, if no submission is right and some have right
/// outputs with another accuracy than the config requires; else empty. One outcome for each
/// submission.
std::string class_warning(std::span<const Outcome> outcomes);

}  // namespace opgrade::report
