#include "grader/grading/pipeline/device_self_test.hpp"

#include <fmt/format.h>

#include <random>
#include <system_error>
#include <utility>

#include "grader/grading/pipeline/reference_build.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/config_task.hpp"

namespace opgrade {
namespace {

/// The hint for CUDA's own error texts.
std::string hint_on(std::string_view cuda, const Toolchain& tools) {
  const auto says = [&](const char* words) { return cuda.find(words) != cuda.npos; };
  if (says("no kernel image") || says("PTX")) {
    return fmt::format(
        "nvcc builds for {}; this GPU has another architecture: set "
        "OPGRADE_CUDA_ARCH to its "
        "architecture "
        "(`nvidia-smi --query-gpu=compute_cap --format=csv`: 8.0 is sm_80)",
        tools.cuda_architecture);
  }
  if (says("driver")) {
    return "the driver is older than the CUDA toolkit or not the one that "
           "runs: update it, reboot, "
           "or name an older toolkit in CUDA_HOME";
  }
  if (says("no CUDA-capable device") || says("busy or unavailable")) {
    return "the sandbox's user must be able to open /dev/nvidia*, and the GPU "
           "must not be in "
           "exclusive use: run `nvidia-smi` and `opgrade doctor`";
  }
  return "run `nvidia-smi` and `opgrade doctor`";
}

}  // namespace

bool could_be_device_fault(const CaseReport& report, Device device) {
  if (report.usage.limit && report.usage.limit->kind == Limit::Kind::stopping_time) return true;
  if (device == Device::cpu) return false;
  switch (report.outcome) {
    case Outcome::crashed:
    case Outcome::exited_early:
    case Outcome::out_of_time:    // a driver that hangs
    case Outcome::out_of_memory:  // a driver that needs more than the limit
    case Outcome::over_limit:     // or starts more threads
    case Outcome::build_failed:   // built, and does not load
      return true;
    default:
      return false;
  }
}

std::filesystem::path DeviceSelfTest::built(const StageConfig& stage, Device device) {
  const std::scoped_lock lock(guard_);
  const auto found = built_.find(stage.name);
  if (found != built_.end()) return found->second->path() / "out/submission.so";
  auto folder = std::make_unique<TempDir>("opgrade-control-");
  sandbox_.hand_over(folder->path());
  // Watching every access is part of the emulated device, and takes memory that may be missing.
  const bool checks = device == Device::emulated;
  const auto submission = build_reference(folder_of_solution(config_, stage), config_, stage,
                                          device, checks, tools_, sandbox_, folder->path());
  built_.emplace(stage.name, std::move(folder));
  return submission;
}

void DeviceSelfTest::check(const StageConfig& stage, const CaseContext& context) {
  // A task as students get it has no solution, so what their submission did stands.
  std::error_code ignored;
  if (folder_task_of(config_, stage) != nullptr &&
      !std::filesystem::exists(folder_of_solution(config_, stage), ignored))
    return;
  // The device's process is the submission's, so the control run has its own.
  const CaseContext control{.stage = context.stage,
                            .built = {.submission = built(stage, context.stage.device),
                                      .watched = context.stage.device == Device::emulated},
                            .on = context.on.without_process()};
  const Task& task = context.stage.task;
  std::mt19937_64 random(1);
  CaseReport report;
  // Tries twice, because a passing trouble, such as a busy machine, must not cost a device.
  for (int tries = 0; tries < 2; ++tries) {
    std::vector<NamedProblem> problems;
    problems.push_back({"control", task.problem(task.control_sizes(), {context.stage.staff.code})});
    report = run_problems_case(control, problems, random);
    if (report.outcome == Outcome::passed || report.outcome == Outcome::mistake_found) return;
  }
  const auto* const ending = ending_of(report.reason);
  throw DeviceFault(
      "the reference solution fails on this device as well: " + report::sentence_of(report.reason),
      hint_on(ending != nullptr ? ending->words : "", tools_));
}

}  // namespace opgrade
