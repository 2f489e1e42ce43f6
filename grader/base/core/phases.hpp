/// Prints the grader's own phases if the environment variable OPGRADE_PHASES is set. Each finished
/// phase is a line on stderr with the seconds since the program's start, the seconds since the
/// thread's last line, and the thread's number. tests/bench/class_speed.sh adds them up.
#pragma once

#include <string_view>

namespace opgrade {

/// Reports that `what` just ended on this thread. Costs next to nothing if the variable is not set.
void phase_over(std::string_view what);

}  // namespace opgrade
