/// A run's processes where there is no namespace to hold them together: one process group, which
/// the seccomp filter lets none of them leave (no setsid, no setpgid).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace opgrade {

/// What ended members that were nobody else's children had used.
struct GroupUse {
  std::chrono::microseconds user{};
  std::chrono::microseconds system{};
  std::int64_t peak_memory_bytes = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
};

class ProcessGroup {
 public:
  /// All members, the leader and dead ones that were not waited for included.
  static std::vector<int> members(pid_t leader);

  /// Sends SIGSTOP to all members with one call; false when there is none.
  static bool stop(pid_t leader) noexcept;

  /// Kills all members and waits until none but the leader is left, at most a second. The kernel
  /// kills a group at once: no fork gets away. Orphans end as children of the grader (see
  /// PR_SET_CHILD_SUBREAPER), which waits for them here. Call it while the leader's number cannot
  /// be another's: before somebody waits for the leader.
  void end(pid_t leader) noexcept;

  const GroupUse& use() const { return use_; }

 private:
  GroupUse use_;
};

}  // namespace opgrade
