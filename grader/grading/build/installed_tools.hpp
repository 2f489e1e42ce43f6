/// Compilers and CUDA toolkits that a machine has, several where a cluster's modules are loaded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opgrade {

struct InstalledTool {
  std::filesystem::path path;  ///< a compiler's program, or a toolkit's real folder
  std::string found_by;        ///< "CUDA_HOME", "PATH", or the folder that it was found in
};

/// Every toolkit once: that of CUDA_HOME, of CUDA_PATH, of PATH (`module load cuda`), of the usual
/// folders, newest first. opgrade uses the first one.
std::vector<InstalledTool> cuda_toolkits();

/// Every g++ and clang++ of the system and of PATH once. opgrade uses the first one that the system
/// has, because the sandbox shows a submission the system's libraries alone.
std::vector<InstalledTool> cxx_compilers();

/// The folders in which opgrade uses a compiler.
bool is_of_the_system(const InstalledTool& compiler);

}  // namespace opgrade
