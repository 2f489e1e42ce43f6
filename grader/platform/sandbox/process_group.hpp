/// Holds a run's processes together without a namespace: they are one process group. The seccomp
/// filter lets no process leave it (no setsid, no setpgid).
#pragma once

#include <sys/types.h>

#include <vector>

#include "grader/platform/sandbox/proc.hpp"

namespace opgrade {

class ProcessGroup {
 public:
  /// All members, including the leader and dead ones that were not waited for.
  static std::vector<int> members(pid_t leader);

  /// Sends SIGSTOP to all members with one call; returns false if there are none.
  static bool stop(pid_t leader) noexcept;

  /// Kills all members and waits at most a second until only the leader is left. The kernel kills a
  /// group at once, so no fork escapes. Orphans become children of the grader (see
  /// PR_SET_CHILD_SUBREAPER), which waits for them here. Call it before the leader is waited for:
  /// later its number may belong to another process.
  void end(pid_t leader) noexcept;

  /// The resource use of ended members that were orphans.
  const ResourceUse& use() const { return use_; }

 private:
  ResourceUse use_;
};

}  // namespace opgrade
