/// Runs a program of the operator, such as sbatch: trusted, outside of every sandbox, without
/// limits. Submissions run in a sandbox: grader/platform/sandbox.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace opgrade {

struct ToolResult {
  bool well = false;  ///< it ran, and its exit code was 0
  std::string text;   ///< its output and then its errors; if it could not be started, the reason
};

/// Runs `words` without a shell, with an empty input, and waits for the end. The first word is a
/// path, or is searched on PATH. An interrupt of opgrade does not stop the program. If it takes
/// longer than `most`, it is stopped, and `well` is false.
ToolResult run_tool(const std::vector<std::string>& words,
                    std::chrono::milliseconds most = std::chrono::hours(24));

}  // namespace opgrade
