#include "grader/grading/device/lock_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

#include "grader/base/core/printable.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

std::string user_in_words(uid_t user) {
  std::array<char, 4096> buffer;
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr)
    return printable_line(found->pw_name);
  return std::to_string(user);
}

}  // namespace

fs::path shared_lock_folder(const std::vector<fs::path>& candidates) {
  for (const auto& folder : candidates) {
    struct stat status {};
    if (::stat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == 0 &&
        (status.st_mode & 01777) == 01777) {
      return folder;
    }
  }
  return candidates.back();
}

LockFile::LockFile(fs::path path) : path_(std::move(path)) { open(); }

void LockFile::open() {
  // The first try is without O_CREAT, because in a folder like these the kernel lets only the owner
  // of a file use it with that flag (fs.protected_regular). O_NONBLOCK: opening a pipe would wait.
  constexpr int kHow = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  constexpr int kTries = 10;  // others may make and remove it meanwhile
  for (int tries = 0; tries < kTries && !file_; ++tries) {
    file_ = Fd(::open(path_.c_str(), kHow));
    if (file_ || errno != ENOENT) break;
    file_ = Fd(::open(path_.c_str(), kHow | O_CREAT | O_EXCL, 0666));
    if (file_)
      ::fchmod(file_.get(), 0666);  // whatever this user's umask is; it is our own, and new
    if (!file_ && errno != EEXIST) break;
  }
  const int failed = errno;
  struct stat status {};
  if (!file_) {
    problem_ = fmt::format("{} cannot be opened: {}", path_.string(), std::strerror(failed));
    if (::lstat(path_.c_str(), &status) == 0)
      problem_ += fmt::format("; it belongs to user {}", user_in_words(status.st_uid));
    return;
  }
  if (::fstat(file_.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_nlink > 1) {
    problem_ =
        fmt::format("{} is {}; it belongs to user {}", path_.string(),
                    S_ISREG(status.st_mode) ? "a second name of a file" : "not a regular file",
                    user_in_words(status.st_uid));
    file_.reset();
  }
}

bool LockFile::try_lock(int how) {
  if (!file_) return false;
  while (::flock(file_.get(), how | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK)
      problem_ = fmt::format("{}: {}", path_.string(), std::strerror(errno));
    return false;
  }
  // A file that was removed meanwhile, as old ones in /tmp are, excludes no later process.
  struct stat mine {
  }, named{};
  if (::fstat(file_.get(), &mine) == 0 && ::lstat(path_.c_str(), &named) == 0 &&
      mine.st_ino == named.st_ino && mine.st_dev == named.st_dev) {
    return true;
  }
  file_.reset();
  open();
  return false;
}

std::vector<pid_t> LockFile::holders() const {
  std::vector<pid_t> found;
  struct stat mine {};
  if (!file_ || ::fstat(file_.get(), &mine) != 0) return found;
  const std::string place = fmt::format("{:02x}:{:02x}:{}", major(mine.st_dev), minor(mine.st_dev),
                                        static_cast<unsigned long>(mine.st_ino));
  // "1: FLOCK  ADVISORY  WRITE 1234 00:19:5678 0 EOF"; lines with "->" wait. A lock is listed twice
  // if others begin between two reads of the file.
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    std::array<char, 64> at{};
    int pid = 0;
    if (std::sscanf(line.c_str(), "%*s FLOCK %*s %*s %d %63s", &pid, at.data()) == 2 &&
        place == at.data()) {
      pid = std::max(pid, 0);
      if (std::ranges::find(found, pid) == found.end()) found.push_back(pid);
    }
  }
  return found;
}

std::string process_in_words(pid_t pid) {
  const fs::path folder = fmt::format("/proc/{}", pid);
  struct stat status {};
  if (pid <= 0 || ::stat(folder.c_str(), &status) != 0)
    return "a process that is not seen from here";
  std::string name;
  std::getline(std::ifstream(folder / "comm"), name);
  return fmt::format("process {} ({}) of user {}", pid, printable_line(name),
                     user_in_words(status.st_uid));
}

LockPatience::LockPatience(Listener listen, std::chrono::milliseconds limit)
    : listen_(std::move(listen)), limit_(limit) {}

bool LockPatience::is_over(const LockFile& file) {
  const auto now = Clock::now();
  // Reading the kernel's list takes longer than a try.
  const auto pause = std::min<std::chrono::milliseconds>(limit_ / 4, std::chrono::seconds(1));
  if (looked_ != Clock::time_point{} && now - looked_ < pause) return false;
  looked_ = now;
  auto holders = file.holders();
  if (holders.empty()) holders.push_back(0);  // outside this container
  // Other threads of this process take turns as they should.
  std::erase(holders, ::getpid());
  if (holders.empty()) {
    holder_.reset();
    return false;
  }
  if (!holder_ || std::ranges::find(holders, *holder_) == holders.end()) {
    holder_ = holders.front();
    since_ = now;
    said_ = false;
    return false;
  }
  if (!said_ && listen_) {
    listen_(events::LockAwaited{
        .id = {}, .holder = process_in_words(*holder_), .file = file.path().string()});
  }
  said_ = true;
  if (now - since_ < limit_) return false;
  why_ = fmt::format("{} has held {} for {:g} s without a break", process_in_words(*holder_),
                     file.path().string(), std::chrono::duration<double>(limit_).count());
  return true;
}

}  // namespace opgrade
