/// Signs that the config is wrong, and not the submissions.
#pragma once

#include <span>
#include <string>

#include "grader/base/core/grade.hpp"
#include "grader/base/core/outcome.hpp"

namespace opgrade::report {

/// True if no submission is right.
bool none_right(std::span<const Outcome> outcomes);

/// One sentence for staff, with the next action, if no submission is right and some have right
/// outputs with another accuracy than the config requires; else empty. `outcomes` has one outcome
/// per submission.
std::string class_warning(std::span<const Outcome> outcomes);

/// One sentence for staff if cases of the reference solution fail; else empty. Advice, undecided
/// cases, and stages whose files the reference solution lacks do not count as failures. `config`:
/// its name, for the command that shows the report.
std::string reference_warning(const Grade& reference, const std::string& config);

}  // namespace opgrade::report
