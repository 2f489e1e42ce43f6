#include "grader/profile/occupancy.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace opgrade {
namespace {

constexpr std::int64_t kWarp = 32;
constexpr std::int64_t kRegisterStep = 256;
constexpr std::int64_t kRegisterFiles = 4;  // since compute capability 5.0
constexpr std::int64_t kSharedStep = 128;
constexpr std::int64_t kSharedReserved = 1024;

std::int64_t round_up(std::int64_t value, std::int64_t step) {
  return (value + step - 1) / step * step;
}

}  // namespace

Occupancy occupancy_of(const KernelEvent& kernel, const DeviceLimits& device) {
  constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();
  std::int64_t threads = 1;
  for (const int size : kernel.block) {
    if (size < 1 || size > 1024) return {};
    threads *= size;
  }
  // Shared memory beyond any device's is a forged number, and would overflow below.
  constexpr std::int64_t kMostShared = std::int64_t{1} << 30;
  if (threads > 1024 || device.warps < 1 || device.blocks < 1 ||
      kernel.static_shared > kMostShared || kernel.dynamic_shared > kMostShared) {
    return {};
  }
  const std::int64_t warps = (threads + kWarp - 1) / kWarp;

  std::int64_t by_registers = kNoLimit;
  if (kernel.registers > 0 && device.registers > 0) {
    const auto a_warp = round_up(kernel.registers * kWarp, kRegisterStep);
    by_registers = device.registers / kRegisterFiles / a_warp * kRegisterFiles / warps;
  }
  std::int64_t by_shared = kNoLimit;
  const auto used = kernel.static_shared + kernel.dynamic_shared;
  if (used > 0 && device.shared_bytes > 0) {
    const auto reserved = device.major >= 8 ? kSharedReserved : 0;
    by_shared = device.shared_bytes / round_up(used + reserved, kSharedStep);
  }
  const std::array<std::pair<std::int64_t, const char*>, 4> limits{
      {{device.warps / warps, "threads"},
       {by_registers, "registers"},
       {by_shared, "shared memory"},
       {device.blocks, "blocks"}}};
  const auto least = *std::min_element(limits.begin(), limits.end(),
                                       [](auto& a, auto& b) { return a.first < b.first; });
  Occupancy result;
  result.blocks = static_cast<int>(least.first);
  result.warps = static_cast<double>(least.first * warps) / device.warps;
  if (result.warps < 1) result.limit = least.second;
  return result;
}

}  // namespace opgrade
