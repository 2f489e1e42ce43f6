/// Raw times of one problem's calls, and each time that was added to them or taken off.
///
/// grader/grading/measure fills it and computes Op Time and Layer Time from it. Nothing here is
/// overwritten later, so that a report shows how each of its times came to be.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade {

constexpr double to_ms(std::chrono::nanoseconds time) {
  return std::chrono::duration<double, std::milli>(time).count();
}

/// Why the time of a call counts or not. No claim of the submission's process decides it.
enum class CallUse {
  counts,
  known_input,  ///< not timed: the submission may have known the input before the call
  warm_up,      ///< not timed: one of the first calls
  throttled,    ///< timed, and left out: heat or lack of power slowed the device
  overtaken,    ///< not timed: the proof ran before all work that the call did not wait for
};

inline constexpr std::array<std::string_view, 5> kCallUseNames{"counts", "known_input", "warm_up",
                                                               "throttled", "overtaken"};

constexpr std::string_view name_of(CallUse use) {
  return kCallUseNames[static_cast<std::size_t>(use)];
}

constexpr bool is_timed(CallUse use) { return use == CallUse::counts || use == CallUse::throttled; }

/// One call, as it was measured.
struct CallSample {
  CallUse use = CallUse::counts;

  // By the grader's clock, from the moment the call could begin.
  /// The timed step, until its process said that it is done. A short call on a GPU says so when
  /// its function has returned: `proven` tells when the device had done it.
  std::chrono::nanoseconds done{};
  std::optional<std::chrono::nanoseconds> proven;  ///< until the device had done it too; a GPU only
  std::chrono::nanoseconds layer{};                ///< all steps that belong to the call
  int steps = 1;                                   ///< in `layer`

  std::chrono::nanoseconds until_stopped{};  ///< from "done" until every process was stopped
  std::chrono::nanoseconds busy{};  ///< something else had the device after the input was written
  std::optional<std::chrono::nanoseconds> empty;  ///< a call that does nothing, right before this
  bool late = false;                              ///< the output still changed after "done"

  // Claims of the submission's process: witnesses for staff, in no score.
  std::chrono::nanoseconds harness{};  ///< around the timed step
  std::chrono::nanoseconds device{};   ///< device events; 0 where there are none

  bool operator==(const CallSample&) const = default;
};

/// Time that is added to each call that counts. Below zero it is taken off, down to zero at most.
struct TimeAdjustment {
  std::string reason;
  double op_ms = 0;
  double layer_ms = 0;
  std::optional<int> call{};  ///< of Measurement::calls: to this one only

  bool operator==(const TimeAdjustment&) const = default;
};

struct Measurement {
  std::vector<CallSample> calls;  ///< all, in order
  std::vector<TimeAdjustment> adjustments;
  std::string whole_layer;  ///< why Op Time is Layer Time; empty where it is not
  bool operator==(const Measurement&) const = default;
};

}  // namespace opgrade
