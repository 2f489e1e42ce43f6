#include "grader/grading/cases/rerun/sanitize_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "grader/base/core/finding_kind.hpp"
#include "grader/grading/cases/rerun/tool_run.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"
#include "grader/grading/profile/sanitizer.hpp"

namespace opgrade {
namespace fs = std::filesystem;

std::optional<fs::path> find_sanitizer(const fs::path& cuda_root) {
  for (const fs::path& program :
       {cuda_root / "compute-sanitizer/compute-sanitizer", cuda_root / "bin/compute-sanitizer"}) {
    std::error_code none;
    const fs::path real = fs::canonical(program, none);
    // bin/ may hold a script that calls the program; its libraries lie next to the real one.
    if (!none && fs::exists(real.parent_path() / "libsanitizer-collection.so"))
      return real.parent_path();
  }
  return std::nullopt;
}

SanitizeResult sanitize(const CaseContext& context, const fs::path& sanitizer,
                        std::optional<std::chrono::seconds> together) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  SanitizeResult result;
  const Task& task = context.stage.task;
  const auto problem = task.problem(task.control_sizes());
  const auto target = lone_call(*problem);
  for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    SandboxPolicy policy = policy_under_tool(context, sanitizer);
    bool is_cut = false;
    if (together) {
      const auto left =
          std::chrono::ceil<std::chrono::milliseconds>(begin + *together - Clock::now());
      is_cut = left < policy.wall;
      if (is_cut) policy.wall = std::max(left, std::chrono::milliseconds(0));
    }
    if (is_cut && policy.wall.count() == 0) {
      result.problems.push_back(notes::SanitizerPartLeftOut{tool, together->count()});
      continue;
    }
    std::vector<std::string> command{fmt::format("{}/compute-sanitizer", kInsideTool), "--tool",
                                     tool, "--print-limit", "50"};
    command.insert(command.end(), target.begin(), target.end());
    const SandboxReport run = context.stage.sandbox.run(policy, command);
    auto read = read_sanitizer(run.process.standard_output + run.process.standard_error, tool);
    if (run.limit && is_cut && run.limit->kind == Limit::Kind::wall_time)
      result.problems.push_back(notes::SanitizerPartCut{tool, together->count()});
    else if (run.limit)
      result.problems.push_back(notes::SanitizerPartStopped{tool, run.limit});
    else if (!read.problem.empty())
      result.problems.push_back(notes::SanitizerSaid{read.problem});
    result.findings.insert(result.findings.end(), read.findings.begin(), read.findings.end());
  }
  return result;
}

void add_findings(CaseReport& report, const std::vector<Finding>& findings) {
  const auto mistake = std::ranges::find_if(findings, decides);
  if (report.outcome == Outcome::passed && mistake != findings.end()) {
    JudgedCase c{report, {.of_sanitizer = *mistake}};
    judge(c);
    report = std::move(c);
  }
  report.findings.insert(report.findings.end(), findings.begin(), findings.end());
}

}  // namespace opgrade
