/// Tests that the sandbox lets a program work on a GPU, before anything is graded there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade {

/// Runs the harness's own trial in the sandbox, as submissions to a cuda stage run, on the GPU with
/// this UUID, or on the first one if it is empty. Returns nullopt if the GPU works, else a line
/// with the reason. `harness` must be readable for the sandbox's user.
std::optional<std::string> why_no_device(const Sandbox& sandbox,
                                         const std::filesystem::path& harness,
                                         const std::string& uuid);

}  // namespace opgrade
