/// Runs one problem on a GPU whose memory the grader writes and checks itself (gpu/referee.hpp).
#pragma once

#include <optional>

#include "grader/cases/problem_run.hpp"
#include "grader/gpu/referee.hpp"

namespace opgrade {

/// As run_problem, but each timed call gets an input written to the device after the prolog, and
/// its whole output is checked there. Layer Time is prolog and epilog plus the median timed call. A
/// last call, which is not timed, has the input as it is. Its output comes back through the epilog
/// into `tensors`, is compared with the device's and given to `use_output`.
///
/// Nothing when the submission's device memory cannot be opened: then nothing was timed, and
/// run_problem does it. Nothing also when its prolog worked on the input, or computed or wrote the
/// output: `note` says which.
/// `problem` must be one that the referee can do (Problem::on_device()).
std::optional<CallReport> run_with_referee(Session& session, CallTensors& tensors,
                                           const Problem& problem, Referee& referee,
                                           const RunOptions& options,
                                           const std::function<void()>& use_output,
                                           std::string& note);

}  // namespace opgrade
