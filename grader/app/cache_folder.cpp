#include "grader/app/cache_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <system_error>

namespace opgrade {

namespace fs = std::filesystem;

fs::path cache_folder() {
  if (const char* base = std::getenv("XDG_CACHE_HOME"); base != nullptr && *base == '/')
    return fs::path(base) / "opgrade";
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? fs::path(home) / ".cache/opgrade" : fs::path();
}

bool make_private_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder.parent_path(), error);
  ::mkdir(folder.c_str(), S_IRWXU);
  return is_ours_alone(folder);
}

bool is_ours_alone(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && status.st_uid == ::geteuid() &&
         (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

}  // namespace opgrade
