/// Runs one problem of a case: calls, times, checks.
#pragma once

#include <chrono>
#include <functional>

#include "grader/cases/memory_watch.hpp"
#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"
#include "grader/device/call_costs.hpp"
#include "grader/measure/measure.hpp"
#include "grader/run/chain_tensors.hpp"
#include "grader/run/session.hpp"
#include "grader/task/problem.hpp"

namespace opgrade {

struct RunOptions {
  Plan plan;
  bool warm_up = true;  ///< first a call on a few parts
  double tolerance = 1e-6;
  int threads = 1;
  /// A GPU submission's process may have written to pages of an input, and would go on seeing
  /// those.
  bool map_every_call = false;
  /// Parts (images) of the warm-up. Many GPU submissions cut the batch into a fixed number of
  /// pieces. With fewer images they launch nothing, which is an error. So on a GPU it is the
  /// course's smallest batch.
  int warm_up_parts = 8;
  bool host_output = true;  ///< the timed call itself writes the host's output
  Referee::Start start = Referee::Start::poison;  ///< of the output on the device
  EmptyCall* empty_call = nullptr;                ///< on the referee's device; null: costs nothing
  /// On a GPU: the longest first call, two switches of the device and its start included, after
  /// which calls are prompt (run/session.hpp). Devices interrupt after 2 ms at the earliest.
  std::chrono::nanoseconds short_call = std::chrono::milliseconds(2);
  /// On a GPU: the timed function copies its output to the host, so it has ended when it returns.
  bool returns_with_output = false;
  MemoryWatch* memory = nullptr;  ///< told of each right call; may be null
};

/// The sizes and buffers of a problem.
CallShape call_shape(const Problem& problem);

/// Buffers for a problem; `room` as for CallTensors.
CallTensors tensors_of(const Problem& problem, std::int64_t room = 0);

/// One whole call on the first few parts, with inputs made fresh, so that first-call costs stay out
/// of the times. False when the session ended.
bool warm_up(Session& session, const Problem& problem, CallTensors& tensors, int parts,
             const std::function<void()>& meanwhile = {});

/// The options' plan there.
Plan plan_of(const RunOptions& options, Plan::Place place);

/// Hint for a submission that adds to the output's old content.
Hint needs_zeros_hint(const Problem& problem);

/// The number of parts of a repeated call to check. All, when that takes no longer than the call
/// itself or 0.1 s. Else as many as take that long, and at least 32. `whole_check`
/// is the time of checking all.
int parts_to_check(int parts, std::chrono::nanoseconds call, std::chrono::nanoseconds whole_check);

/// Calls the submission on `tensors` as the plan says. Its
/// inputs are filled and known to `problem` (begin()).
///
/// The first call gets the input as it is and is not timed: a submission may know it, or have
/// computed it in a warm-up. Its output is checked completely and, when finite, given to
/// `use_output` (which reads it in `tensors`). Each later call is timed, and none is left out.
/// While every process is stopped, the inputs are made fresh and the output is poisoned. So no
/// output can come from a cache. The output is checked on randomly chosen parts, so no call can be
/// skipped. The clock is the grader's. An
/// output that changes after the reply is timed until the process was stopped.
///
/// The report lacks times and check when the session ended on the way; the caller asks the session
/// why.
CallReport run_problem(Session& session, CallTensors& tensors, const Problem& problem,
                       const RunOptions& options, const std::function<void()>& use_output);

}  // namespace opgrade
