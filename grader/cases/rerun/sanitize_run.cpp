#include "grader/cases/rerun/sanitize_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/build/compiler_view.hpp"
#include "grader/build/limits.hpp"
#include "grader/cases/verdict/judged_case.hpp"
#include "grader/config/config_task.hpp"
#include "grader/core/finding_kind.hpp"
#include "grader/profile/sanitizer.hpp"
#include "grader/run/runtime_view.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInside = "/opgrade/compute-sanitizer";
constexpr const char* kInsideHarness = "/opgrade/opgrade-harness";
constexpr const char* kInsideSubmission = "/opgrade/submission.so";

}  // namespace

std::optional<fs::path> find_sanitizer(const fs::path& cuda_root) {
  for (const fs::path& program :
       {cuda_root / "compute-sanitizer/compute-sanitizer", cuda_root / "bin/compute-sanitizer"}) {
    std::error_code none;
    const fs::path real = fs::canonical(program, none);
    // bin/ may hold a script that calls the program; its libraries lie beside the real one.
    if (!none && fs::exists(real.parent_path() / "libsanitizer-collection.so"))
      return real.parent_path();
  }
  return std::nullopt;
}

SanitizeResult sanitize(const CaseContext& context, const fs::path& sanitizer) {
  SanitizeResult result;
  const Task& task = context.stage.task;
  const auto problem = task.problem(task.control_sizes());
  std::vector<std::int64_t> sizes, elements;
  for (const auto& size : problem->sizes()) sizes.push_back(size.value);
  for (const auto& buffer : problem->buffers()) elements.push_back(buffer.elements());
  for (const char* tool : {"memcheck", "racecheck", "initcheck", "synccheck"}) {
    SandboxPolicy policy;
    // The tool is a program of the toolkit and wants the system's libraries, as the compiler does.
    add_system_view(policy);
    add_runtime_view(policy, Device::cuda, context.on.gpu != nullptr ? context.on.gpu->uuid() : "");
    for (const auto& library : context.stage.libraries) add_library(policy, library);
    policy.mounts.push_back({sanitizer, kInside});
    policy.mounts.push_back({context.stage.harness, kInsideHarness});
    policy.mounts.push_back({context.built.submission, kInsideSubmission});
    set_limits(policy, context.stage.config.run_limits);
    policy.kept_output_bytes = policy.output_bytes;
    std::vector<std::string> command{fmt::format("{}/compute-sanitizer", kInside),
                                     "--tool",
                                     tool,
                                     "--print-limit",
                                     "50",
                                     kInsideHarness,
                                     kInsideSubmission};
    command.push_back(fmt::format("{}", fmt::join(sizes, ",")));
    command.push_back(fmt::format("{}", fmt::join(elements, ",")));
    const SandboxReport run = context.stage.sandbox.run(policy, command);
    auto read = read_sanitizer(run.process.standard_output + run.process.standard_error, tool);
    if (run.limit) read.problem = fmt::format("{} was stopped: {}", tool, text_of(*run.limit));
    if (!read.problem.empty()) result.problems.push_back(read.problem);
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
