/// Turns a policy into bubblewrap's command line.
#pragma once

#include <string>
#include <vector>

#include "grader/platform/sandbox/policy.hpp"

namespace opgrade {

/// The arguments before the program: namespaces, mounts, environment. Does not look at the machine;
/// missing optional mounts must have been removed. `seccomp_fd` is the filter's descriptor number
/// in the child.
std::vector<std::string> bubblewrap_arguments(const SandboxPolicy& policy, int seccomp_fd);

}  // namespace opgrade
