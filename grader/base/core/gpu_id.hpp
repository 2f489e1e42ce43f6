/// Which GPU of a machine.
#pragma once

#include <string>

namespace opgrade {

/// Its model's name, and its UUID as CUDA_VISIBLE_DEVICES takes it.
struct GpuId {
  std::string name;
  std::string uuid;
  bool operator==(const GpuId&) const = default;
};

}  // namespace opgrade
