/// The cost of a call that does nothing, which the grader's clock contains beside the call.
///
/// It is measured in processes of the grader's own, so that no submission can make it long.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "grader/base/core/measurement.hpp"

namespace opgrade {

/// On the CPU: the shortest of 40 empty calls, and at most 50 us, since no call can be quicker.
/// Nothing when one of them fails.
std::optional<std::chrono::nanoseconds> shortest_empty_call(
    const std::function<std::optional<std::chrono::nanoseconds>()>& empty_call);

/// Where a GPU is used, in ms: the median of the empty calls that alternated with the timed ones.
/// They alternate since clocks and drivers drift by some us within a minute. Each ends as the timed
/// call after it does, prompt or waited for, which costs about 15 us more. A submission whose first
/// call takes 2 ms or more has its calls waited for. If it then replies early, it gains at most
/// these 15 us.
double cost_in_between(const Measurement& measurement);

/// The same of a function on host pointers, and at most 150 us: one empty call of few may have
/// waited for a core.
double host_cost_in_between(const Measurement& measurement);

/// True if the median of the calls that count, until their proof by the device, is more than 10 us
/// below that cost: something else used the device. A call of 1 us may be 3 us below, since an
/// empty call has an empty kernel.
bool is_below_empty_calls(const Measurement& measurement);

}  // namespace opgrade
