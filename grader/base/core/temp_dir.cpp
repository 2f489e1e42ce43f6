#include "grader/base/core/temp_dir.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "grader/base/core/error.hpp"

namespace opgrade {

namespace fs = std::filesystem;

TempDir::TempDir(const std::string& prefix) {
  std::error_code missing;
  const fs::path place = fs::temp_directory_path(missing);
  if (missing) {
    const char* const named = ::getenv("TMPDIR");
    throw Error(fmt::format("there is no folder for temporary files: {}: {}",
                            named != nullptr ? named : "/tmp", missing.message()),
                "set TMPDIR to a writable folder with free space");
  }
  std::string name = (place / (prefix + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(fmt::format("cannot make a folder like {}: {}", name, std::strerror(errno)),
                "set TMPDIR to a writable folder with free space");
  }
  path_ = name;
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempDir::~TempDir() {
  if (path_.empty()) return;
  std::error_code ignored;
  // A submission's build may have left folders without write permission.
  for (auto it = fs::recursive_directory_iterator(
           path_, fs::directory_options::skip_permission_denied, ignored);
       !ignored && it != fs::recursive_directory_iterator(); it.increment(ignored)) {
    if (it->is_directory(ignored) && !it->is_symlink(ignored)) {
      fs::permissions(it->path(), fs::perms::owner_all, fs::perm_options::add, ignored);
    }
  }
  fs::remove_all(path_, ignored);
}

}  // namespace opgrade
