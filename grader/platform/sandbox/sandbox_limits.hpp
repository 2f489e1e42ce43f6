/// The limits of a policy: makes the kernel's limits of them, and finds the limit that ended a run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "grader/platform/process/process.hpp"
#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade {

/// `users_most`: the limit on all processes of the sandbox's user, if they are counted together.
std::vector<ResourceLimit> resource_limits(const SandboxPolicy& policy, bool has_cgroup,
                                           std::optional<std::uint64_t> users_most);

/// The limit that a run reached. `unstoppable`: a process did not stop between calls.
std::optional<Limit> limit_reached(const SandboxPolicy& policy, const SandboxReport& report,
                                   bool unstoppable);

}  // namespace opgrade
