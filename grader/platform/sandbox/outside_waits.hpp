/// What other programs take of a run's time: it stands in line for a core.
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
  std::map<int, std::chrono::microseconds> idle;  ///< of each core on which those may run
};

/// Adds up, look by look, how long a run stood in line for a core behind other programs. What the
/// run itself computes meanwhile is taken off, so that its own threads and children gain it
/// nothing, and the seccomp filter lets none of them give way to others.
///
/// The kernel counts the waits of living threads alone. Those of a thread or process that ended
/// between two looks are found by another rule: if a thread is ready and no core is idle, then what
/// the run did not compute, it waited for.
class OutsideWaits {
 public:
  /// A new limit begins now.
  void restart(const CoreLook& now);

  /// `since`: the time on the run's clock since the last look. Returns by how much total() grew.
  std::chrono::nanoseconds add(const CoreLook& now, std::chrono::nanoseconds since);

  std::chrono::nanoseconds total() const { return total_; }

  /// By the run, since restart().
  std::chrono::microseconds computed() const { return last_.computed - first_computed_; }

 private:
  CoreLook last_;
  std::chrono::microseconds first_computed_{};
  std::chrono::nanoseconds waited_{};  ///< below 0 while the kernel's coarse count is ahead
  std::chrono::nanoseconds total_{};
};

/// How long a run has had for something: without its outside waits, and without what the grader did
/// not see, since a whole machine may have been paused between two looks.
class TimeSeen {
 public:
  /// `since`: the time since the last look. The first look begins.
  void add(const CoreLook& now, std::chrono::nanoseconds since);
  std::chrono::nanoseconds total() const { return total_; }

 private:
  bool began_ = false;
  OutsideWaits outside_;
  std::chrono::nanoseconds total_{};
};

/// Tells a killed process that is slow to go from one that is stuck.
class SignsOfLife {
 public:
  /// True if a thread is ready, or one has computed or ended since the last call.
  bool seen(const CoreLook& now);

 private:
  CoreLook last_;
  bool looked_ = false;
};

}  // namespace opgrade
