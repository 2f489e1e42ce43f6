/// Times that a submission's process reports, compared with the grader's clock and never counted.
#pragma once

#include <chrono>

namespace opgrade {

/// True if a process may claim `claimed` for a call that took `measured`. The claim may be 100 us
/// longer, and 300 us + 2 % shorter, because waking up on a busy machine may take that long.
bool agrees(std::chrono::nanoseconds claimed, std::chrono::nanoseconds measured);

}  // namespace opgrade
