/// Runs one problem with inputs and outputs in memory that the grader shares with the submission.
#pragma once

#include <chrono>

#include "grader/grading/cases/layer/layer_run.hpp"

namespace opgrade {

/// The number of parts of a repeated call to check. All, when that takes no longer than the call
/// itself or 0.1 s. Else as many as take that long, and at least 32. `whole_check`
/// is the time of checking all.
int parts_to_check(int parts, std::chrono::nanoseconds call, std::chrono::nanoseconds whole_check);

/// Calls the submission as the layer's plan says.
///
/// The first call gets the input as it is and is not timed: a submission may know it, or have
/// computed it in a warm-up. Its output is checked completely and, when finite, used. Each later
/// call is timed, and none is left out. While every process is stopped, the inputs are made fresh
/// and the output is poisoned. So no output can come from a cache. The output is checked on
/// randomly chosen parts, so no call can be skipped. The clock is the grader's. An output that
/// changes after the reply is timed until the process was stopped.
CallReport run_problem(const Layer& layer);

}  // namespace opgrade
