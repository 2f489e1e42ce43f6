/// One fork and exec. The child allocates nothing and takes no lock, because another thread may
/// have held a lock at the fork, and that thread does not exist in the child.
#pragma once

#include "grader/platform/process/process.hpp"

namespace opgrade {

/// The child's first three descriptors, which are passed as 0, 1 and 2.
struct StandardStreams {
  int input;
  int output;
  int error;
};

/// Returns the child's number once it has become `command.program`. One thread starts every child
/// and lives as long as this process, because PR_SET_PDEATHSIG and bubblewrap's --die-with-parent
/// refer to the thread that forked: a child must not die with a thread of a class run. Throws
/// Error, and NoMoreProcesses if the child's exec was refused.
pid_t start_child(const Command& command, const StandardStreams& streams);

}  // namespace opgrade
