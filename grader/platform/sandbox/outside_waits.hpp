/// Measures the time that other programs take from a run while it waits for a core.
#pragma once

#include <chrono>
#include <map>

#include "grader/platform/sandbox/proc.hpp"

namespace opgrade {

/// A run's threads at one time.
struct CoreLook {
  std::chrono::microseconds computed{};           ///< by all members, the dead included
  proc::CoreWaits waits;                          ///< of living threads
  int ready = 0;                                  ///< threads on a core or in line for one
  std::map<int, std::chrono::microseconds> idle;  ///< of each core on which those threads may run
};

/// Adds up, look by look, how long a run waited for a core behind other programs. What the run
/// itself computed meanwhile is subtracted. So its own threads and children cannot gain time, and
/// the seccomp filter does not let them give way to others.
///
/// The kernel counts only the waits of living threads. The waits of a thread or process that ended
/// between two looks are found by another rule: if a thread is ready and no core is idle, then the
/// run waited whenever it did not compute.
class OutsideWaits {
 public:
  /// Starts anew, for a new limit.
  void restart(const CoreLook& now);

  /// `since`: the time on the run's clock since the last look. Returns by how much total() grew.
  std::chrono::nanoseconds add(const CoreLook& now, std::chrono::nanoseconds since);

  std::chrono::nanoseconds total() const { return total_; }

  /// CPU time of the run since restart().
  std::chrono::microseconds computed() const { return last_.computed - first_computed_; }

 private:
  CoreLook last_;
  std::chrono::microseconds first_computed_{};
  std::chrono::nanoseconds waited_{};  ///< negative while the kernel's coarse count is ahead
  std::chrono::nanoseconds total_{};
};

/// The time that a run really had: without its outside waits, and without long gaps between two
/// looks, because the whole machine may have been paused in them.
class TimeSeen {
 public:
  /// `since`: the time since the last look. The first call only starts the count.
  void add(const CoreLook& now, std::chrono::nanoseconds since);
  std::chrono::nanoseconds total() const { return total_; }

 private:
  bool began_ = false;
  OutsideWaits outside_;
  std::chrono::nanoseconds total_{};
};

/// Distinguishes a killed process that ends slowly from one that is stuck.
class SignsOfLife {
 public:
  /// True if a thread is ready, or one has computed or ended since the last call.
  bool seen(const CoreLook& now);

 private:
  CoreLook last_;
  bool looked_ = false;
};

}  // namespace opgrade
