/// The command that runs a case again, made from the case's fields.
#pragma once

#include <string>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

/// "opgrade check mine --config x --only cpu/random --seed 7"; empty if the case lacks the fields.
std::string repeat_command(const CaseReport& c);

/// The command for all cases, with other `options`.
std::string check_command(const Repeat& repeat, const std::string& options);

}  // namespace opgrade::report
