/// The config's rule on GPU work outside the timed call: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "grader/grading/cases/verdict/judged_case.hpp"

namespace opgrade {

/// The number of kernels that were launched outside every timed call.
std::int64_t untimed_launches(const ProfileReport& profile);

/// True if the policy can change no time of the case, because each layer's Op Time includes prolog
/// and epilog, whose kernels are all that a process launches outside of the call.
bool has_outside_work_in_op_times(const CaseReport& c, OutsideWork policy);

/// Applies the policy to a passed case, whose layers `profile` lists in the same order. `count`
/// adds the time of kernels launched outside the call to every sample of Op Time; `reject` makes
/// them evidence. Returns the note of a case that keeps its points, if there are such kernels.
std::optional<notes::LaunchesOutside> apply_untimed_kernels(JudgedCase& c,
                                                            const ProfileReport& profile,
                                                            OutsideWork policy,
                                                            std::string_view operation);

}  // namespace opgrade
