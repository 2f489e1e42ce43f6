/// A run's processes without a namespace to hold them together: one process group. The seccomp
/// filter lets none of them leave it (no setsid, no setpgid).
#pragma once

#include <sys/types.h>

#include <vector>

#include "grader/platform/sandbox/proc.hpp"

namespace opgrade {

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

  /// The use of ended members that were orphans.
  const ResourceUse& use() const { return use_; }

 private:
  ResourceUse use_;
};

}  // namespace opgrade
