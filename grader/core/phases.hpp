/// Prints the grader's own phases. With OPGRADE_PHASES in the environment each finished phase is a
/// line on stderr: seconds since the program's start and since the last line.
#pragma once

#include <string_view>

namespace opgrade {

/// `what` just ended. Costs next to nothing without the variable.
void phase_over(std::string_view what);

}  // namespace opgrade
