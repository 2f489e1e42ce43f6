#include "grader/grading/build/installed_tools.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSystem = "/usr/bin";

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value != nullptr ? value : "";
}

/// Skips relative folders: they start at the caller's working folder, which may be a submission.
std::vector<fs::path> folders_on_path() {
  std::vector<fs::path> folders;
  std::istringstream path(variable("PATH"));
  for (std::string folder; std::getline(path, folder, ':');)
    if (folder.starts_with('/')) folders.emplace_back(folder);
  return folders;
}

bool is_program(const fs::path& path) {
  std::error_code closed;  // a folder that this user may not enter
  return fs::is_regular_file(path, closed) && ::access(path.c_str(), X_OK) == 0;
}

bool has_headers(const fs::path& nvcc) {
  std::error_code broken;
  const fs::path root = fs::canonical(nvcc, broken).parent_path().parent_path();
  return !broken && fs::exists(root / "include/cuda_runtime.h", broken);
}

/// True for another program under a compiler's name, such as ccache.
bool is_wrapper(const fs::path& compiler) {
  std::error_code broken;
  const std::string name = fs::canonical(compiler, broken).filename();
  return name.find("g++") == name.npos && name.find("clang") == name.npos;
}

/// /usr/local/cuda-12.4 and its like, newest first.
std::vector<fs::path> versioned_folders(const fs::path& parent) {
  std::vector<fs::path> found;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(parent, missing))
    if (entry.path().filename().string().starts_with("cuda-")) found.push_back(entry.path());
  std::ranges::sort(found, [](const fs::path& a, const fs::path& b) {
    return ::strverscmp(a.c_str(), b.c_str()) > 0;
  });
  return found;
}

class Found {
 public:
  void add_toolkit(const fs::path& folder, const std::string& by) {
    if (folder.empty() || !is_program(folder / "bin/nvcc")) return;
    std::error_code broken;
    const fs::path nvcc = fs::canonical(folder / "bin/nvcc", broken);
    const fs::path root = nvcc.parent_path().parent_path();
    // A wrapper, such as ccache under this name, has no toolkit around it.
    if (!broken && is_program(root / "bin/nvcc")) add(root, root, by);
  }

  void add_compiler(const fs::path& program, const std::string& by) {
    std::error_code broken;
    const fs::path real = fs::canonical(program, broken);
    if (!broken && is_program(program)) add(program, real, by);
  }

  std::vector<InstalledTool> tools;

 private:
  void add(const fs::path& path, const fs::path& real, const std::string& by) {
    if (known_.insert(real).second) tools.push_back({path, by});
  }

  std::set<fs::path> known_;
};

}  // namespace

std::vector<InstalledTool> cuda_toolkits() {
  Found found;
  for (const char* const name : {"CUDA_HOME", "CUDA_PATH"})
    if (const std::string folder = variable(name); folder.starts_with('/'))
      found.add_toolkit(folder, name);
  // A script that calls nvcc, such as one in /usr/local/bin, has no headers with it.
  for (const fs::path& folder : folders_on_path())
    if (folder.filename() == "bin" && has_headers(folder / "nvcc"))
      found.add_toolkit(folder.parent_path(), "PATH");
  for (const fs::path folder : {"/usr/local/cuda", "/usr", "/opt/cuda"})
    found.add_toolkit(folder, folder);
  for (const fs::path parent : {"/usr/local", "/opt"})
    for (const fs::path& folder : versioned_folders(parent)) found.add_toolkit(folder, folder);
  return found.tools;
}

std::vector<InstalledTool> cxx_compilers() {
  Found found;
  for (const char* const name : {"g++", "clang++"})
    found.add_compiler(fs::path(kSystem) / name, kSystem);
  for (const fs::path& folder : folders_on_path())
    for (const char* const name : {"g++", "clang++"})
      if (!is_wrapper(folder / name)) found.add_compiler(folder / name, "PATH");
  return found.tools;
}

bool is_of_the_system(const InstalledTool& compiler) { return compiler.found_by == kSystem; }

}  // namespace opgrade
