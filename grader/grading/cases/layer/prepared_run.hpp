/// Runs one problem on a GPU with inputs that the host makes for each call.
#pragma once

#include "grader/grading/cases/layer/layer_run.hpp"
#include "grader/platform/gpu/referee.hpp"

namespace opgrade {

/// Does what run_with_referee() does, for a problem that has an arena() and no device truth. The
/// inputs of a call are made in the grader's own memory, and written to the device after the
/// prolog, while it belongs to the grader. They are never used again. The output is read back when
/// the clock has stopped, and checked on the host.
///
/// Returns an error if the submission's device memory cannot be opened, or another of its processes
/// exists during its calls. Then nothing was timed, and run_problem does it.
LayerResult run_prepared(const Layer& layer, Referee& referee);

}  // namespace opgrade
