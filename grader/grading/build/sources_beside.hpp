/// Sources that were handed in next to the stage's own. They are built only if a function is
/// missing.
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

/// The stage's own sources and those beside them, named as in a build, so that __FILE__ is the
/// same.
std::vector<std::string> sources_to_read(const CompileJob& job);

struct BuildBeside {
  bool built = false;
  std::filesystem::path folder;       ///< of the build, if there is one
  std::vector<std::string> compiled;  ///< sources
  std::vector<std::string> refused;   ///< sources that do not compile
};

/// Builds once more with the sources beside the stage's own. These go into an archive, from which
/// the linker takes only what is missing, so a variant of the same functions does no harm.
BuildBeside build_with_beside(const CompileJob& job, const Toolchain& tools, const Sandbox& sandbox,
                              const std::filesystem::path& folder);

}  // namespace opgrade
