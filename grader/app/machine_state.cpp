#include "grader/app/machine_state.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <thread>

#include "grader/device/gpu.hpp"
#include "grader/gpu/monitor.hpp"
#include "grader/sandbox/support.hpp"

namespace opgrade {

std::vector<std::string> machine_state() {
  static const SandboxTier tier = SandboxSupport::detect().tier;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  std::vector<std::string> lines{fmt::format("{}: {} CPUs, sandbox tier '{}'", host.data(),
                                             std::thread::hardware_concurrency(), name_of(tier))};
  for (const GpuId& gpu : find_gpus()) {
    const auto sample = GpuMonitor(gpu.uuid).sample();
    if (!sample) {
      lines.push_back(fmt::format("{} ({}): its state is not known", gpu.name, gpu.uuid));
      continue;
    }
    lines.push_back(
        fmt::format("{} ({}): {} MHz, {} °C, {}", gpu.name, gpu.uuid, sample->sm_clock_mhz,
                    sample->temperature_c,
                    sample->throttled_by.empty()
                        ? "not throttled"
                        : fmt::format("throttled by {}", fmt::join(sample->throttled_by, ", "))));
  }
  if (lines.size() == 1) lines.emplace_back("no GPU: GPU stages run on the emulated device");
  return lines;
}

}  // namespace opgrade
