/// Runs one convolution on a GPU with the grader's own hands on the device (gpu/referee.hpp).
#pragma once

#include <optional>
#include <random>

#include "grader/app/conv_run.hpp"
#include "grader/gpu/referee.hpp"

namespace opgrade {

/// As run_conv, but each timed conv call gets an input that was written to the device after the
/// prolog, and its output is checked there, whole. Layer Time is prolog and epilog plus the median
/// conv call. The last call's output comes back through the epilog into tensors.y and is held
/// against the device's.
///
/// Nothing when the submission's device memory cannot be opened (then nothing was timed, and
/// run_conv does it), or when it works on its input before the call: `note` then says so.
std::optional<ConvReport> run_conv_with_referee(Session& session, ConvTensors& tensors,
                                                Referee& referee, const ConvRunOptions& options,
                                                BatchOrder& order, std::mt19937_64& random,
                                                std::string& note);

}  // namespace opgrade
