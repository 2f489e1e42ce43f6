/// Builds the reference solution as a submission to a stage is built.
#pragma once

#include <filesystem>

#include "grader/build/toolchain.hpp"
#include "grader/config/config.hpp"
#include "grader/core/device.hpp"
#include "grader/sandbox/sandbox.hpp"

namespace opgrade {

/// The reference solution as a submission.
std::filesystem::path folder_of_solution(const Config& config);
/// Staff's serial one, of a lecturer's task.
std::filesystem::path folder_of_serial(const Config& config);

/// The shared object of the solution in `from`, inside `folder`, which must be empty. `checks`: see
/// CompileJob. Throws Error when the solution is not there or does not build.
std::filesystem::path build_reference(const std::filesystem::path& from, const Config& config,
                                      const StageConfig& stage, Device device, bool checks,
                                      const Toolchain& tools, const Sandbox& sandbox,
                                      const std::filesystem::path& folder);

}  // namespace opgrade
