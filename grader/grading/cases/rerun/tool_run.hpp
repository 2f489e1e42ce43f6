/// Runs a submission under a tool of the machine that watches its process from outside, in the
/// sandbox: one call without a grader, whose outputs are not read.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/profile/device_tool.hpp"
#include "grader/grading/profile/line_shares.hpp"
#include "grader/platform/sandbox/policy.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// Where the sandbox shows a tool's folder.
inline constexpr const char* kInsideTool = "/opgrade/tool";

/// The view and limits of a submission's process that a tool starts: those of a case, and in
/// addition the tool's folder and the system's programs and libraries, as a compiler sees them.
SandboxPolicy policy_under_tool(const CaseContext& context, const std::filesystem::path& folder);

/// The command line of the harness inside, for one unchecked call of this problem.
std::vector<std::string> lone_call(const Problem& problem);

struct ToolRun {
  std::optional<ToolFile> file;
  std::optional<Note> problem{};  ///< why there is no file
};

struct ToolLimits {
  std::int64_t file_bytes = kToolFileBytes;  ///< a larger file is not kept
  std::chrono::seconds time = kToolTime;
};

struct ToolJob {
  const ToolWish& wish;
  const FoundTool& found;
  const Problem& problem;
  /// The submission's sources, which the sandbox shows at the paths where they were compiled.
  std::filesystem::path sources;
  ToolLimits limits{};
  std::string file_name;  ///< of what the tool writes
};

ToolRun run_under_tool(const CaseContext& context, const ToolJob& job);

/// The samples by line of the source in a file of that run. Needs no GPU. The tool itself reads the
/// file, in a sandbox, because a submission could have written it. Empty if that takes longer than
/// `most`, or the tool has no such page.
std::vector<LineShare> lines_in(const CaseContext& context, const ToolJob& job,
                                const std::string& bytes, std::chrono::seconds most);

}  // namespace opgrade
