/// One step of a call: its time by the grader's clock, and as the submission's process reports it.
#pragma once

#include <chrono>

#include "grader/platform/harness/protocol.hpp"

namespace opgrade {

struct StepTime {
  // The grader's own clock, from the moment the step could begin.
  std::chrono::nanoseconds until_done{};    ///< the process said that it is done
  std::chrono::nanoseconds until_proven{};  ///< CallGate::look() had returned; else as `until_done`
  /// Of a prompt step: its process had waited for the device. Else the same as `until_done`.
  std::chrono::nanoseconds until_finished{};
  std::chrono::nanoseconds until_stopped{};  ///< every process of the submission was stopped

  // Claims of the process: witnesses for staff, in no score.
  std::chrono::nanoseconds harness{};  ///< around the step and the wait for the device
  std::chrono::nanoseconds device{};   ///< device events; 0 if there are none

  StepTime& operator+=(const StepTime& other);
};

/// Copies the claims of a reply. A claim beyond a day, positive or negative, becomes a day, so that
/// sums and differences of claims stay in range.
void take_claims(StepTime& time, const protocol::Reply& reply);

}  // namespace opgrade
