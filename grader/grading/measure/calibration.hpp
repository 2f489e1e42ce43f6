/// The cost of a call that does nothing. The grader's clock includes this cost in every timed call.
///
/// Processes of the grader's own measure the cost, so no submission can lengthen it.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "grader/base/core/measurement.hpp"

namespace opgrade {

/// The cost on the CPU: the shortest of 40 empty calls, because no call can be quicker, and at most
/// 50 us. Returns nullopt if an empty call fails.
std::optional<std::chrono::nanoseconds> shortest_empty_call(
    const std::function<std::optional<std::chrono::nanoseconds>()>& empty_call);

/// The cost if a GPU is used, in ms: the median of the empty calls that alternated with the timed
/// calls. They alternate because clocks and drivers drift by some us within a minute. Each empty
/// call ends as the timed call after it does: promptly, or after a wait for the device, which costs
/// about 15 us more. If a submission's first call takes 2 ms or more, its later calls wait for the
/// device. A submission that then replies early gains at most these 15 us.
double cost_in_between(const Measurement& measurement);

/// The cost for a function on host pointers: the same median, but at most 150 us, because one empty
/// call of few may have waited for a core.
double host_cost_in_between(const Measurement& measurement);

/// True if the calls that count took, in the median and until the device's proof, over 10 us less
/// than cost_in_between(): something else used the device. Calls of 1 us may be 3 us below the
/// cost, because an empty call launches an empty kernel.
bool is_below_empty_calls(const Measurement& measurement);

}  // namespace opgrade
