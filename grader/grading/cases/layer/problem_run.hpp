/// Runs one problem with inputs and outputs in memory that the grader shares with the submission.
#pragma once

#include <chrono>

#include "grader/grading/cases/layer/layer_run.hpp"

namespace opgrade {

/// The number of parts of a repeated call to check: all, if that takes no longer than the call
/// itself or 0.1 s; else as many as take that long, and at least 32. `whole_check` is the time that
/// checking all parts takes.
int parts_to_check(int parts, std::chrono::nanoseconds call, std::chrono::nanoseconds whole_check);

/// Calls the submission as the layer's plan says.
///
/// The first call gets the original input and is not timed, because a submission may know this
/// input, or have computed with it in a warm-up. Its output is checked completely and, if finite,
/// used. Each later call is timed, and none is left out. While every process is stopped, the inputs
/// are made fresh and the output is poisoned, so no output can come from a cache. The output is
/// checked on randomly chosen parts, so no call can be skipped. The clock is the grader's. An
/// output that changes after the reply is timed until the process was stopped.
CallReport run_problem(const Layer& layer);

}  // namespace opgrade
