/// Runs one problem on a GPU with inputs that the host makes for each call.
#pragma once

#include "grader/grading/cases/layer/layer_run.hpp"
#include "grader/platform/gpu/referee.hpp"

namespace opgrade {

/// As run_with_referee(), for a problem with an arena() and without device truth: the inputs of a
/// call are made in the grader's own memory, written to the device after the prolog, while it
/// belongs to the grader, and never used again. The output is read back when the clock has stopped,
/// and checked on the host.
///
/// An error if the submission's device memory cannot be opened, or another of its processes lives
/// beside its calls: then nothing was timed, and run_problem does it.
LayerResult run_prepared(const Layer& layer, Referee& referee);

}  // namespace opgrade
