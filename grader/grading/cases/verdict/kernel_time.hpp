/// The kernels' own time, for interfaces whose Op Time includes the copies: pure functions.
#pragma once

#include "grader/base/core/grade.hpp"

namespace opgrade {

/// Fills CallReport::kernel_time_ms of every layer that `profile` saw run; the profile lists the
/// same layers in the same order. Kernels that overlap count once, so the sum is never longer than
/// what they took. Fills nothing if the profile has no times, has a problem, or lacks a layer.
void add_kernel_times(CaseReport& report, const ProfileReport& profile);

}  // namespace opgrade
