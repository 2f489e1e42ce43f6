#include "grader/grading/pipeline/cache_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

#include "grader/base/core/error.hpp"
#include "grader/base/files/checksum.hpp"
#include "grader/base/files/partial_file.hpp"
#include "grader/grading/pipeline/program_version.hpp"

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

fs::path adapter_in_cache(const Interface& interface, const Toolchain& tools) {
  const fs::path folder = cache_folder();
  if (folder.empty() || interface.included || !tools.cuda_root) return {};
  std::string parts = program_stamp() + '\n' + std::string(interface.id) + '\n' +
                      tools.cuda_architecture + '\n' + tools.cxx_version + '\n' +
                      tools.cuda_root->string() + '\n';
  // Another toolkit at the same place has another list of versions.
  std::ifstream versions(*tools.cuda_root / "version.json");
  parts.append(std::istreambuf_iterator<char>(versions), {});
  std::error_code missing;
  const fs::path nvcc = *tools.cuda_root / "bin/nvcc";
  parts += std::to_string(fs::file_size(nvcc, missing)) + ' ' +
           std::to_string(fs::last_write_time(nvcc, missing).time_since_epoch().count()) + '\n';
  for (const GeneratedFile& file : interface.generated)
    parts += file.path + '\n' + file.text + '\n';
  return folder / ("adapter-" + sha256_of_text(parts) + ".o");
}

bool take_adapter(const fs::path& cached, const fs::path& object) {
  std::error_code error;
  if (cached.empty() || !is_ours_alone(cached.parent_path()) || !is_ours_alone(cached) ||
      fs::file_size(cached, error) == 0)
    return false;
  fs::copy_file(cached, object, error);
  if (error) return false;
  // The sandbox's user reads it.
  fs::permissions(object,
                  fs::perms::owner_write | fs::perms::owner_read | fs::perms::group_read |
                      fs::perms::others_read,
                  error);
  return !error;
}

void keep_adapter(const fs::path& object, const fs::path& cached) {
  if (object.empty() || cached.empty()) return;
  if (!make_private_folder(cached.parent_path())) return;
  try {
    PartialFile file(cached);
    fs::copy_file(object, file.path(), fs::copy_options::overwrite_existing);
    fs::permissions(file.path(), fs::perms::owner_read | fs::perms::owner_write);
    file.commit();
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
}

}  // namespace opgrade
