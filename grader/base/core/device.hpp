/// Where a stage runs.
#pragma once

#include <array>
#include <string_view>

namespace opgrade {

enum class Device {
  cpu,       ///< the submission's CPU function
  cuda,      ///< its CUDA code on an NVIDIA GPU
  emulated,  ///< its CUDA code compiled for the CPU; correctness only, no Op Time
};

inline constexpr std::array<std::string_view, 3> kDeviceNames{"cpu", "cuda", "emulated"};

constexpr std::string_view name_of(Device device) {
  return kDeviceNames[static_cast<std::size_t>(device)];
}

}  // namespace opgrade
