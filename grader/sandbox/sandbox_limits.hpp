/// The limits of a policy: as the kernel enforces them, and in the words of a report.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/process/process.hpp"
#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

/// `users_most`: the limit on all processes of the sandbox's user, where they are counted together.
std::vector<ResourceLimit> resource_limits(const SandboxPolicy& policy, bool has_cgroup,
                                           std::optional<std::uint64_t> users_most);

/// The limit that a run reached; empty for none. `unstoppable`: a process did not stop between
/// calls.
std::string limit_in_words(const SandboxPolicy& policy, const SandboxReport& report,
                           bool unstoppable);

}  // namespace opgrade
