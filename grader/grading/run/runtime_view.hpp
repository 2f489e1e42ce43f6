/// A running submission's view of the host: the C++ runtime, and for CUDA the driver.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/platform/sandbox/policy.hpp"

namespace opgrade {

/// Adds mounts and environment for a run on `device`: the dynamic loader and the few libraries that
/// a submission may use. Each file is added by itself, so that no other library can be loaded at
/// run time. Throws Error if the C++ runtime itself cannot be found. `uuids` names the GPUs that a
/// CUDA run sees, as devices 0, 1 and so on; no name, or an empty one, shows all GPUs.
void add_runtime_view(SandboxPolicy& policy, Device device,
                      const std::vector<std::string>& uuids = {});

/// The device nodes of GPUs below `root`: the node of the GPU `uuid` if the driver tells which one
/// it is (proc/driver/nvidia/gpus), else all nodes. A part of a GPU (MIG) has no node of its own.
std::vector<std::filesystem::path> gpu_nodes(const std::string& uuid,
                                             const std::filesystem::path& root = "/");

/// Puts one more shared object where the submission's loader looks, under the name of `file`.
void add_library(SandboxPolicy& policy, const std::filesystem::path& file);

}  // namespace opgrade
