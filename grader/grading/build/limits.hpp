/// The limits that a config sets, as the sandbox takes them.
#pragma once

#include "grader/platform/sandbox/policy.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Sets every limit of `policy` that a config can set. The CPU time is rounded up, because the
/// kernel counts it in whole seconds.
void set_limits(SandboxPolicy& policy, const LimitConfig& limits);

}  // namespace opgrade
