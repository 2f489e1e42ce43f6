#include "grader/platform/process/tool.hpp"

#include <unistd.h>

#include "grader/platform/process/process.hpp"

namespace opgrade {

ToolResult run_tool(const std::vector<std::string>& words, std::chrono::milliseconds most) {
  constexpr std::int64_t kMost = 1 << 30;  // bytes
  Command command{.program = "/usr/bin/env",
                  .arguments = words,
                  .environment = {},
                  .working_folder = std::filesystem::current_path()};
  for (const char* const* variable = environ; *variable != nullptr; ++variable)
    command.environment.emplace_back(*variable);
  try {
    const ProcessReport report =
        run_command(command, {.wall = most, .output_bytes = kMost, .kept_bytes = kMost});
    return {report.succeeded(), report.standard_output + report.standard_error};
  } catch (const Error& e) {
    return {false, e.what()};
  }
}

}  // namespace opgrade
