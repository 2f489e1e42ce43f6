/// Runs a program of the operator's, such as sbatch: trusted, outside of every sandbox, without
/// limits. Submissions run in a sandbox: grader/platform/sandbox.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace opgrade {

struct ToolResult {
  bool well = false;  ///< it ran, and its exit code was 0
  std::string text;   ///< its output and then its errors; where it could not be started, the reason
};

/// Runs `words` without a shell, with an empty input, and waits for the end. The first word is
/// a path, or is looked for on PATH. An interrupt of opgrade's does not stop it; it is stopped, and
/// did not do well, if it takes longer than `most`.
ToolResult run_tool(const std::vector<std::string>& words,
                    std::chrono::milliseconds most = std::chrono::hours(24));

}  // namespace opgrade
