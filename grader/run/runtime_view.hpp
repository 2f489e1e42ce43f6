/// What of the host a running submission sees: the C++ runtime, and for CUDA the driver.
#pragma once

#include "grader/core/device.hpp"
#include "grader/sandbox/policy.hpp"

namespace opgrade {

/// Adds mounts and environment for a run on `device`: the dynamic loader and the few libraries a
/// submission may use, each file by itself, so that no other library can be loaded at run time.
/// Throws Error when the C++ runtime itself cannot be found.
void add_runtime_view(SandboxPolicy& policy, Device device);

/// Puts one more shared object where the submission's loader looks, by the name of `file`.
void add_library(SandboxPolicy& policy, const std::filesystem::path& file);

}  // namespace opgrade
