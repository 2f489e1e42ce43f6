#include "grader/app/timing_lock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "grader/process/interrupt.hpp"

namespace opgrade {
namespace {

Fd open_lock(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  // Created by another user with a strict umask: reading is enough for flock.
  if (!file) file = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (file) ::fchmod(file.get(), 0666);
  return file;  // none: a machine without /tmp has one grader at most
}

/// Whether somebody else has the file locked; else it now has the lock `how` (LOCK_EX or LOCK_SH),
/// as long as the descriptor lives.
bool is_taken(const Fd& file, int how) {
  if (!file) return false;
  while (::flock(file.get(), how | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    return errno == EWOULDBLOCK;
  }
  return false;
}

Fd wait_for(const std::string& path, int how) {
  Fd file = open_lock(path);
  // Asked again and again, because a signal would not end the waiting: it may come to another
  // thread, and it restarts the call.
  while (is_taken(file, how)) {
    constexpr int kPauseMs = 20;
    pollfd interrupted{interrupt::descriptor(), POLLIN, 0};
    ::poll(&interrupted, 1, kPauseMs);
    interrupt::check();
  }
  return file;
}

constexpr const char* kMachine = "/tmp/opgrade-timing.lock";

}  // namespace

std::string DeviceLock::path_of(const std::string& device) {
  return "/tmp/opgrade-timing-" + device + ".lock";
}

std::optional<DeviceLock> DeviceLock::try_take(const std::string& device) {
  Fd file = open_lock(path_of(device));
  if (is_taken(file, LOCK_EX)) return std::nullopt;
  return DeviceLock(std::move(file));
}

TimingLock::TimingLock() : machine_(wait_for(kMachine, LOCK_EX)) {}

TimingLock::TimingLock(const DeviceLock&) : machine_(wait_for(kMachine, LOCK_SH)) {}

}  // namespace opgrade
