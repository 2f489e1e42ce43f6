/// A run's processes without a namespace to hold them together: one process group. The seccomp
/// filter lets none of them leave it (no setsid, no setpgid).
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <vector>

namespace opgrade {

/// Resources of ended members that were orphans.
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
  /// PR_SET_CHILD_SUBREAPER), which waits for them here. Call it before the leader is waited for:
  /// later its number may be another's.
  void end(pid_t leader) noexcept;

  const GroupUse& use() const { return use_; }

 private:
  GroupUse use_;
};

}  // namespace opgrade
