/// One fork and exec. The child allocates nothing and takes no lock. Another thread may have held
/// one at the fork, and in the child that thread does not exist.
#pragma once

#include "grader/platform/process/process.hpp"

namespace opgrade {

/// The child's first three descriptors, before they are passed as 0, 1 and 2.
struct StandardStreams {
  int input;
  int output;
  int error;
};

/// Gives the child's number once it has become `command.program`. One thread starts every child,
/// and lives as long as this process. PR_SET_PDEATHSIG, and bubblewrap's option of that kind, name
/// the thread that forked: a child must not die with a thread of a class run. Throws Error, and
/// NoMoreProcesses where the child's exec was refused.
pid_t start_child(const Command& command, const StandardStreams& streams);

}  // namespace opgrade
