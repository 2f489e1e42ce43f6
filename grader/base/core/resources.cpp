#include "grader/base/core/resources.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "grader/base/core/error.hpp"

namespace opgrade::resources {

namespace fs = std::filesystem;

fs::path program_folder() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) {
    throw Error(fmt::format("cannot read /proc/self/exe: {}", failed.message()),
                "mount /proc (in a container: run it with one); opgrade finds its own files by it "
                "and stops a submission's processes by it");
  }
  return program.parent_path();
}

fs::path share_folder() {
  if (const char* named = std::getenv("OPGRADE_SHARE"); named != nullptr) return named;
  // Programs lie in bin/ or libexec/opgrade/; tests run from tests/.
  for (const char* up : {"../share/opgrade", "../../share/opgrade"}) {
    const fs::path candidate = program_folder() / up;
    if (fs::is_directory(candidate / "adapters")) return fs::canonical(candidate);
  }
  throw Error(fmt::format("opgrade's own files are not near {}", program_folder().string()),
              "install opgrade again, or set OPGRADE_SHARE to the folder share/opgrade");
}

fs::path helper_program(std::string_view name) {
  for (const char* folder : {".", "../libexec/opgrade", "../bin"}) {
    const fs::path candidate = program_folder() / folder / name;
    if (fs::exists(candidate)) return fs::canonical(candidate);
  }
  throw Error(fmt::format("{} is not in {}", name, program_folder().string()),
              "install opgrade again");
}

fs::path data_folder() {
  if (const char* named = std::getenv("OPGRADE_DATA"); named != nullptr) return named;
  if (const char* base = std::getenv("XDG_DATA_HOME"); base != nullptr && *base != '\0') {
    return fs::path(base) / "opgrade";
  }
  const char* const home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : "/tmp") / ".local/share/opgrade";
}

void make_data_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  throw Error(fmt::format("cannot make the data folder {}: {}", folder.string(), error.message()),
              "name one that can be written: --data, --out or OPGRADE_DATA");
}

}  // namespace opgrade::resources
