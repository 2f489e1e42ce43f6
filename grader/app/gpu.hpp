/// Whether this machine has a GPU that CUDA programs can use.
#pragma once

#include <optional>
#include <string>

namespace opgrade {

/// Name of the first usable device, from NVIDIA's management library, which is loaded when present:
/// opgrade itself needs no CUDA to be built or run.
std::optional<std::string> find_gpu();

}  // namespace opgrade
