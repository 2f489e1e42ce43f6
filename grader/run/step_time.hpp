/// One step of a call by three clocks, and whether they can all be right.
#pragma once

#include <chrono>

#include "grader/harness/protocol.hpp"

namespace opgrade {

struct StepTime {
  std::chrono::nanoseconds device{};   ///< device events; 0 where there are none
  std::chrono::nanoseconds harness{};  ///< around the step and the wait for the device
  /// From request to reply, less the round trip of a ping, plus what waking up took too long.
  std::chrono::nanoseconds grader{};

  StepTime& operator+=(const StepTime& other);

  /// Whether the clocks can all be right: the later ones contain the earlier ones, and what they
  /// contain beside them (two messages, waking up, launching) is below 300 us + 2 %. Beyond that a
  /// clock was tampered with, or the machine was busy with something else.
  bool agree() const;

  /// The harness's clock where it can be right, else the grader's, which no submission can reach.
  std::chrono::nanoseconds believed() const { return agree() ? harness : grader; }
};

/// The times that a reply claims beside the grader's own. Claims beyond a day either way become a
/// day: sums and differences of them stay in range, and they agree with no clock.
StepTime claimed_time(const protocol::Reply& reply, std::chrono::nanoseconds grader);

}  // namespace opgrade
