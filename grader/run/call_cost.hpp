/// The cost of a step that does nothing, which the grader's clock contains beside the step.
#pragma once

#include <chrono>
#include <filesystem>

#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

/// From the start of a step that does nothing to its reply, in a process of the grader's own that
/// runs as submissions do: waking it and polling the page. The shortest of 40, and at most 50 us: a
/// submission has no part in it, so that it cannot be made long, and no call can be quicker. Throws
/// Error when that process fails.
std::chrono::nanoseconds measure_call_cost(const Sandbox& sandbox, SandboxPolicy policy,
                                           const std::filesystem::path& harness);

}  // namespace opgrade
