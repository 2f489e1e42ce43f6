#include "grader/service/queue/worker_place.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/files/checksum.hpp"

namespace opgrade::service {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVariable = "TMPDIR=";

/// The prefix contains the course, because two courses may have servers on one machine.
std::string prefix_of(const fs::path& course) {
  constexpr std::size_t kDigits = 8;
  std::error_code ignored;
  return fmt::format(
      "opgrade-worker-{}-",
      sha256_of_text(fs::weakly_canonical(course, ignored).string()).substr(0, kDigits));
}

/// Opens a folder of this user, only to read and change its rights. Other users write into the
/// temporary folder, too: a link, or a folder of another user, may have the name and is not opened.
Fd own_folder(int parent, const char* name) {
  Fd folder(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!folder || ::fstat(folder.get(), &status) != 0 || status.st_uid != ::geteuid()) return {};
  return folder;
}

/// Uses /proc, because fchmod(2) does not accept a descriptor of O_PATH, and a folder without
/// rights cannot be opened otherwise.
bool add_rights(const Fd& folder, mode_t rights) {
  struct stat status {};
  return ::fstat(folder.get(), &status) == 0 &&
         ::chmod(fmt::format("/proc/self/fd/{}", folder.get()).c_str(),
                 (status.st_mode & 07777) | rights) == 0;
}

/// Adds rights to folders, because a submission's build may have left some without the right to
/// write.
void open_folders(const Fd& folder) {
  if (!add_rights(folder, S_IRWXU)) return;
  const int readable = ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(readable < 0 ? nullptr : ::fdopendir(readable),
                                                    ::closedir);
  if (!entries) return;
  while (const dirent* const entry = ::readdir(entries.get())) {
    const std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (const Fd inner = own_folder(folder.get(), name.c_str())) open_folders(inner);
  }
}

/// Removes a place, unless it belongs to another user. Tries several times, because a process that
/// is being killed may still write there.
void remove_whole(const fs::path& place) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    const Fd folder = own_folder(AT_FDCWD, place.c_str());
    if (!folder) return;
    open_folders(folder);
    std::error_code failed;
    fs::remove_all(place, failed);
    if (!failed) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

}  // namespace

WorkerPlace::WorkerPlace(const fs::path& course) {
  std::error_code missing;
  std::string name = (fs::temp_directory_path(missing) / (prefix_of(course) + "XXXXXX")).string();
  if (missing || ::mkdtemp(name.data()) == nullptr)
    throw Error(fmt::format("cannot make a folder like {} for a worker", name),
                "set TMPDIR to a writable folder with free space");
  path_ = name;
  // The sandbox's user needs to pass through this folder to reach its own folders.
  if (const Fd folder = own_folder(AT_FDCWD, path_.c_str());
      !folder || !add_rights(folder, S_IXGRP | S_IXOTH))
    throw Error(fmt::format("{} was replaced when it had just been made", path_.string()),
                "set TMPDIR to a folder in which no other user may rename");
}

WorkerPlace::~WorkerPlace() { remove_whole(path_); }

void WorkerPlace::give_to(Command& command) const {
  std::erase_if(command.environment,
                [](const std::string& variable) { return variable.starts_with(kVariable); });
  command.environment.push_back(fmt::format("{}{}", kVariable, path_.string()));
}

void remove_left_places(const fs::path& course) {
  std::error_code missing;
  const std::string prefix = prefix_of(course);
  std::vector<fs::path> left;
  for (const auto& entry : fs::directory_iterator(fs::temp_directory_path(missing), missing))
    if (entry.path().filename().string().starts_with(prefix)) left.push_back(entry.path());
  for (const fs::path& place : left) remove_whole(place);
}

}  // namespace opgrade::service
