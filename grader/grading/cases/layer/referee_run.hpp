/// Runs one problem on a GPU whose memory the grader writes and checks itself (gpu/referee.hpp).
#pragma once

#include "grader/grading/cases/layer/layer_run.hpp"
#include "grader/platform/gpu/referee.hpp"

namespace opgrade {

/// Does what run_problem does, but each timed call gets an input that is written to the device
/// after the prolog, and its whole output is checked there. Layer Time is prolog and epilog plus
/// the median timed call. A last call, which is not timed, has the original input. Its output comes
/// back through the epilog into the layer's tensors, is compared with the device's and used.
///
/// Returns an error if the submission's device memory cannot be opened, or if its prolog worked on
/// the input, or computed or wrote the output. Then nothing was timed, and run_problem does it. The
/// problem must be one that the referee can do (Problem::on_device()).
LayerResult run_with_referee(const Layer& layer, Referee& referee);

}  // namespace opgrade
