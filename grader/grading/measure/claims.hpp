/// Times that a submission's process reports, compared with the grader's clock and never counted.
#pragma once

#include <chrono>

namespace opgrade {

/// True if a claimed time can be that of a call that took `measured`. It is at most 100 us
/// above it, nor shorter by more than 300 us + 2 %, which waking up on a busy machine may take.
bool agrees(std::chrono::nanoseconds claimed, std::chrono::nanoseconds measured);

}  // namespace opgrade
