/// The file view of a sandbox without mounts: Landlock rules on the host's own paths.
#pragma once

#include <linux/filter.h>

#include <filesystem>
#include <vector>

#include "grader/base/core/fd.hpp"
#include "grader/platform/sandbox/policy.hpp"

namespace opgrade {

/// The version of the kernel's Landlock interface; 0 without Landlock. From version 6 (Linux 6.12)
/// on, signals and abstract sockets to the outside are refused, too.
int landlock_version();
inline constexpr int kLandlockScopes = 6;

/// The paths of the policy as a rule set. `scratch` may be read and written but not executed. In
/// /dev only null, zero, full, random and urandom are open. Throws Error.
Fd landlock_rules(const SandboxPolicy& policy, const std::filesystem::path& scratch);

/// Confines the calling process to the rules and the filter for ever. Adds the process's own folder
/// of /proc to the rules. Makes system calls only, for use between fork and exec; returns 0 or
/// errno.
int confine_self(int rules, const std::vector<sock_filter>& filter) noexcept;

}  // namespace opgrade
