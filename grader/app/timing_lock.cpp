#include "grader/app/timing_lock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>

#include "grader/process/interrupt.hpp"

namespace opgrade {
namespace {

/// Holds the lock `how` (LOCK_EX or LOCK_SH) of a file in /tmp as long as the descriptor lives.
Fd lock_file(const std::string& path, int how) {
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  // Created by another user with a strict umask: reading is enough for flock.
  if (!file) file = Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return file;  // a machine without /tmp has one grader at most
  ::fchmod(file.get(), 0666);
  // Asked again and again, because a signal would not end the waiting: it may come to another
  // thread, and it restarts the call.
  while (::flock(file.get(), how | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) break;
    constexpr int kPauseMs = 20;
    pollfd interrupted{interrupt::descriptor(), POLLIN, 0};
    ::poll(&interrupted, 1, kPauseMs);
    interrupt::check();
  }
  return file;
}

constexpr const char* kMachine = "/tmp/opgrade-timing.lock";

}  // namespace

TimingLock::TimingLock() : machine_(lock_file(kMachine, LOCK_EX)) {}

TimingLock::TimingLock(const std::string& device)
    : machine_(lock_file(kMachine, LOCK_SH)),
      device_(lock_file("/tmp/opgrade-timing-" + device + ".lock", LOCK_EX)) {}

}  // namespace opgrade
