/// Compilers and CUDA toolkits of a machine, which has several if a cluster's modules are loaded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace opgrade {

struct InstalledTool {
  std::filesystem::path path;  ///< a compiler's program, or a toolkit's real folder
  std::string found_by;        ///< "CUDA_HOME", "PATH", or the folder that it was found in
};

/// Every toolkit once: that of CUDA_HOME, of CUDA_PATH and of PATH (`module load cuda`), then those
/// of the usual folders, newest first. opgrade uses the first one.
std::vector<InstalledTool> cuda_toolkits();

/// Every g++ and clang++ of the system and of PATH once. opgrade uses the first one of the system,
/// because the sandbox shows a submission only the system's libraries.
std::vector<InstalledTool> cxx_compilers();

/// True if the compiler lies in one of the folders in which opgrade uses a compiler.
bool is_of_the_system(const InstalledTool& compiler);

}  // namespace opgrade
