/// The command that runs a case again, from its fields.
#pragma once

#include <string>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

/// "opgrade check mine --config x --only cpu/random --seed 7"; empty where the case has no fields
/// for it.
std::string repeat_command(const CaseReport& c);

/// The same for all cases, with other `options`.
std::string check_command(const Repeat& repeat, const std::string& options);

}  // namespace opgrade::report
