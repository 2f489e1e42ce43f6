/// A task's reference.cpp, built once and run in sandboxed processes of its own.
#pragma once

#include <memory>

#include "grader/grading/build/toolchain.hpp"
#include "grader/platform/sandbox/sandbox.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/interface/reference_code.hpp"

namespace opgrade {

/// What memory holds before opgrade or the code sets it.
enum class UnsetMemory {
  as_it_is,
  poisoned  ///< other bytes: outputs before a call, local variables and allocations
};

/// Builds the reference of a task of the config. Throws UsageError with the compiler's words if it
/// does not build, because staff must fix that. Its processes end with the result. A call has
/// config.run_limits.
std::shared_ptr<ReferenceCode> start_reference(const FolderTask& task, const Config& config,
                                               const Toolchain& tools, const Sandbox& sandbox,
                                               const std::filesystem::path& harness,
                                               UnsetMemory unset = UnsetMemory::as_it_is);

}  // namespace opgrade
