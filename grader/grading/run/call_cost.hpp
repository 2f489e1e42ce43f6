/// The cost of a step that does nothing. The grader's clock includes this cost in every step.
#pragma once

#include <chrono>
#include <filesystem>

#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade {

/// The time from the start of an empty step to its reply: waking a process and polling the page.
/// The process is the grader's own and runs as submissions do. The rule of measure/calibration.hpp
/// picks one of many times. Throws Error if the process fails.
std::chrono::nanoseconds measure_call_cost(const Sandbox& sandbox, SandboxPolicy policy,
                                           const std::filesystem::path& harness);

}  // namespace opgrade
