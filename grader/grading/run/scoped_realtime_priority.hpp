/// Gives the calling thread realtime priority for a scope, if the machine allows that.
#pragma once

#include <sched.h>

namespace opgrade {

/// The grader sleeps while a submission runs, and reads its clock when it wakes. Without this
/// priority, it would first queue for the processor on a busy machine, and its clock would
/// contradict the submission's. The priority needs CAP_SYS_NICE or a limit on real-time priority
/// (RLIMIT_RTPRIO); without them this class does nothing. Threads and processes started meanwhile
/// do not inherit it.
class ScopedRealtimePriority {
 public:
  ScopedRealtimePriority() : before_(sched_getscheduler(0)) {
    const sched_param lowest{sched_get_priority_min(SCHED_RR)};
    changed_ = before_ == SCHED_OTHER &&
               sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &lowest) == 0;
  }
  ~ScopedRealtimePriority() {
    const sched_param ordinary{0};
    if (changed_) sched_setscheduler(0, SCHED_OTHER, &ordinary);
  }
  ScopedRealtimePriority(const ScopedRealtimePriority&) = delete;
  ScopedRealtimePriority& operator=(const ScopedRealtimePriority&) = delete;

 private:
  int before_;
  bool changed_ = false;
};

}  // namespace opgrade
