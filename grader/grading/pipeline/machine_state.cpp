#include "grader/grading/pipeline/machine_state.hpp"

#include <unistd.h>

#include <array>
#include <thread>

#include "grader/platform/gpu/monitor.hpp"
#include "grader/platform/sandbox/support.hpp"

namespace opgrade {
namespace {

GpuState state_of(const GpuId& gpu, const Nvml& nvml) {
  GpuState state{.gpu = gpu};
  const auto device = nvml.find(gpu.uuid);
  if (!device) return state;
  state.sm_clock_mhz = nvml.sm_clock(*device);
  state.highest_sm_clock_mhz = nvml.highest_sm_clock(*device);
  state.temperature_c = nvml.temperature(*device);
  if (const auto reasons = nvml.throttle_reasons(*device); reasons && state.sm_clock_mhz)
    state.throttled_by =
        slowed_by(*reasons, *state.sm_clock_mhz, state.highest_sm_clock_mhz.value_or(0));
  return state;
}

}  // namespace

MachineState machine_state(const std::vector<GpuId>& gpus, const Nvml& nvml) {
  static const SandboxTier tier = SandboxSupport::detect().tier;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  MachineState state{.host = host.data(),
                     .sandbox_tier = std::string(name_of(tier)),
                     .cpus = static_cast<int>(std::thread::hardware_concurrency())};
  for (const GpuId& gpu : gpus) state.gpus.push_back(state_of(gpu, nvml));
  return state;
}

}  // namespace opgrade
