/// Runs the emulated device's front end over a submission's sources.
#pragma once

#include <filesystem>
#include <optional>

#include "grader/build/compile.hpp"
#include "grader/build/tree_uses.hpp"

namespace opgrade {

/// Reads the job's sources, and those beside that can be read, in `folder`, which must be empty.
/// Nothing on a machine without the front end, and for sources that it does not read or
/// that ask which compiler reads them: its answer then need not be that of the build.
std::optional<TreeUses> tree_uses(const CompileJob& job, const Toolchain& tools,
                                  const Sandbox& sandbox, const std::filesystem::path& folder);

}  // namespace opgrade
