/// Raw times of one problem's calls, and each correction that was added or subtracted.
///
/// grader/grading/measure fills it in and computes Op Time and Layer Time from it. Nothing here is
/// overwritten later, so a report can show how each of its times was computed.
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

/// Why the time of a call counts or not. Claims of the submission's process never decide this.
enum class CallUse {
  counts,
  known_input,  ///< not timed: the submission may have known the input before the call
  warm_up,      ///< not timed: one of the first calls
  throttled,    ///< timed, and left out: heat or lack of power slowed the device
  overtaken,    ///< not timed: the proof ran before work that the call did not wait for had ended
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

  // Times by the grader's clock, from the moment at which the call could begin.
  /// The timed step, until its process reported the end. A short call on a GPU reports the end when
  /// its function has returned: `proven` tells when the device had finished.
  std::chrono::nanoseconds done{};
  std::optional<std::chrono::nanoseconds>
      proven;                        ///< until the device had finished too; only on a GPU
  std::chrono::nanoseconds layer{};  ///< all steps that belong to the call
  int steps = 1;                     ///< number of steps in `layer`

  std::chrono::nanoseconds until_stopped{};  ///< from "done" until every process was stopped
  std::chrono::nanoseconds
      busy{};  ///< time for which something else used the device after the input was written
  std::optional<std::chrono::nanoseconds> empty;  ///< a call that does nothing, right before this
  bool late = false;                              ///< the output still changed after "done"

  // Times that the submission's process reports. Staff can compare them; no score uses them.
  std::chrono::nanoseconds harness{};  ///< around the timed step
  std::chrono::nanoseconds device{};   ///< by device events; 0 if there are none

  bool operator==(const CallSample&) const = default;
};

/// Time that is added to each call that counts. If negative, it is subtracted, but no call's time
/// falls below zero.
struct TimeAdjustment {
  std::string reason;
  double op_ms = 0;
  double layer_ms = 0;
  std::optional<int> call{};  ///< index in Measurement::calls, if it applies to one call only

  bool operator==(const TimeAdjustment&) const = default;
};

struct Measurement {
  std::vector<CallSample> calls;  ///< all, in order
  std::vector<TimeAdjustment> adjustments;
  std::string whole_layer;  ///< why Op Time equals Layer Time; empty if it does not
  bool operator==(const Measurement&) const = default;
};

}  // namespace opgrade
