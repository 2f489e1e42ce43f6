#include "grader/grading/pipeline/stage_context.hpp"

#include "grader/task/config/config_task.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {
namespace {

/// The reference of the stage's task; null for a task of opgrade itself.
std::shared_ptr<ReferenceCode> reference_of(const References& references, const Config& config,
                                            const StageConfig& stage) {
  const FolderTask* const task = folder_task_of(config, stage);
  return task != nullptr ? references.at(std::string(task->id())) : nullptr;
}

}  // namespace

StageContext stage_context(const GradingBench& bench, const StageConfig& stage, Device device,
                           int threads, CallSets* sets) {
  Machine& machine = bench.machine;
  const Toolchain& tools = machine.tools();
  const Task& task = task_of(bench.config, stage);
  const Interface& interface = interface_of(bench.config, stage);
  return {.config = bench.config,
          .task = task,
          .interface = interface,
          .sandbox = machine.sandbox(),
          .harness = machine.harness(),
          .device = device,
          .steps = steps_of(task, interface, device),
          .tolerance = stage.tolerance.value_or(bench.config.tolerance),
          .gpus = device == Device::cpu ? 1 : stage.gpus,
          .threads = threads,
          .libraries = device == Device::cuda ? tools.cuda_library_files(stage.libraries)
                                              : std::vector<std::filesystem::path>{},
          .profiler = machine.profiler(),
          .sanitized_check = device == Device::cpu && !tools.sanitizer_runtimes().empty(),
          .costs = &machine.costs(),
          .tensors = &bench.tensors,
          .models = bench.models,
          .staff = {reference_of(bench.references, bench.config, stage), sets}};
}

}  // namespace opgrade
