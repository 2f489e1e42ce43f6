/// The state of this machine for people: CPUs, sandbox, GPUs with clocks and heat.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/grading/device/gpu.hpp"

namespace opgrade {

/// Fields that the management library does not answer are empty.
struct GpuState {
  GpuId gpu;
  std::optional<int> sm_clock_mhz, highest_sm_clock_mhz, temperature_c;
  std::optional<std::vector<std::string>> throttled_by;  ///< as slowed_by() tells
};

struct MachineState {
  std::string host, sandbox_tier;
  int cpus = 0;
  std::vector<GpuState> gpus;
};

/// The sandbox is examined once in a process, the GPUs in every call.
MachineState machine_state(const std::vector<GpuId>& gpus = find_gpus(),
                           const Nvml& nvml = Nvml::of_machine());

}  // namespace opgrade
