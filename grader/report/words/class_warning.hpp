/// Signs that a config is wrong, not the submissions.
#pragma once

#include <span>
#include <string>

#include "grader/base/core/grade.hpp"
#include "grader/base/core/outcome.hpp"

namespace opgrade::report {

/// True if no submission is right.
bool none_right(std::span<const Outcome> outcomes);

/// For staff, one sentence with the next action, if no submission is right and some have right
/// outputs with another accuracy than the config requires; else empty. One outcome for each
/// submission.
std::string class_warning(std::span<const Outcome> outcomes);

/// For staff, one sentence if cases of the reference solution fail; else empty. Advice, what is
/// undecided and stages whose files the reference solution does not have are no failures. `config`:
/// its name, for the command that shows the report.
std::string reference_warning(const Grade& reference, const std::string& config);

}  // namespace opgrade::report
