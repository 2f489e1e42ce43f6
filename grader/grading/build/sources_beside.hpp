/// Sources that were handed in beside the stage's own: built only where a function is missing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grader/grading/build/compile.hpp"
#include "grader/grading/build/toolchain.hpp"
#include "grader/platform/sandbox/sandbox.hpp"

namespace opgrade {

/// Sources that were taken and are not the stage's own.
std::vector<std::string> sources_beside(const CompileJob& job);

/// The stage's own sources and those beside them, as a build names them: __FILE__ is the same.
std::vector<std::string> sources_to_read(const CompileJob& job);

struct BuildBeside {
  bool built = false;
  std::filesystem::path folder;       ///< where, when built
  std::vector<std::string> compiled;  ///< sources
  std::vector<std::string> refused;   ///< sources that do not compile
};

/// Builds once more with the sources beside the stage's own. They go into an archive: the linker
/// takes from it what is missing, so that a variant of the same functions does no harm.
BuildBeside build_with_beside(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                              const std::filesystem::path& folder);

}  // namespace opgrade
