/// Runs the emulated device's front end over a submission's sources.
#pragma once

#include <filesystem>
#include <optional>

#include "grader/grading/build/compile.hpp"
#include "grader/grading/build/preprocess.hpp"
#include "grader/grading/build/tree_uses.hpp"

namespace opgrade {

/// Reads in `folder`, which must be empty, what the job's compiler makes of the sources, because
/// Clang need not agree with that compiler on a condition or a macro. Returns nullopt on a machine
/// without the front end.
std::optional<TreeUses> tree_uses(const CompileJob& job, const PreprocessedSources& sources,
                                  const Toolchain& tools, const Sandbox& sandbox,
                                  const std::filesystem::path& folder);

}  // namespace opgrade
