/// Identifies a GPU of a machine.
#pragma once

#include <string>

namespace opgrade {

/// The name of its model, and its UUID in the form of CUDA_VISIBLE_DEVICES.
struct GpuId {
  std::string name;
  std::string uuid;
  bool operator==(const GpuId&) const = default;
};

}  // namespace opgrade
