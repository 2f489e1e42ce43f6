/// The cost of a step that does nothing, which the grader's clock contains beside the step.
#pragma once

#include <chrono>
#include <filesystem>

#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

/// The time from the start of an empty step to its reply: waking a process and polling the page.
/// The process is the grader's own and runs as submissions do. The shortest of 40, and at most 50
/// us. A submission has no part in it, so it cannot be made long, and no call can be quicker.
/// Throws Error when that process fails.
std::chrono::nanoseconds measure_call_cost(const Sandbox& sandbox, SandboxPolicy policy,
                                           const std::filesystem::path& harness);

}  // namespace opgrade
