#include "grader/app/stage_context.hpp"

namespace opgrade {

StageContext stage_context(const GradingBench& bench, const StageConfig& stage, Device device,
                           int threads, CallSets* sets) {
  Machine& machine = bench.machine;
  const Toolchain& tools = machine.tools();
  return {.config = bench.config,
          .sandbox = machine.sandbox(),
          .harness = machine.harness(),
          .device = device,
          .steps = steps_of(bench.config, device),
          .tolerance = stage.tolerance.value_or(bench.config.tolerance),
          .threads = threads,
          .libraries = device == Device::cuda ? tools.cuda_library_files(stage.libraries)
                                              : std::vector<std::filesystem::path>{},
          .profiler = machine.profiler(),
          .sanitized_check = device == Device::cpu && !tools.sanitizer_runtimes().empty(),
          .costs = &machine.costs(),
          .tensors = &bench.tensors,
          .staff = {bench.reference, sets}};
}

}  // namespace opgrade
