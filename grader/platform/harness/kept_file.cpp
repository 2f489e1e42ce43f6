#include "grader/platform/harness/kept_file.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

namespace opgrade::harness {
namespace {

constexpr int kCannotStart = 127;
constexpr int kOfSignal = 128;

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : kOfSignal + WTERMSIG(status);
}

/// Does not copy a link, a pipe or a device under the file's name, because only the submission can
/// have made it.
void copy_file(const char* name, int to, long long most) {
  // Not closed here, because the process ends after the copy.
  const int from = ::open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  struct stat status {};
  if (from < 0 || ::fstat(from, &status) != 0 || !S_ISREG(status.st_mode)) return;
  char piece[1 << 16];
  for (long long left = most + 1; left > 0;) {
    const auto wanted = std::min<long long>(left, sizeof piece);
    const ssize_t got = ::read(from, piece, static_cast<std::size_t>(wanted));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (ssize_t done = 0; done < got;) {
      const ssize_t now = ::write(to, piece + done, static_cast<std::size_t>(got - done));
      if (now < 0 && errno == EINTR) continue;
      if (now <= 0) return;
      done += now;
    }
    left -= got;
  }
}

}  // namespace

int run_and_keep(char** arguments) {
  const int to = std::atoi(arguments[0]);
  const long long most = std::atoll(arguments[1]);
  // Otherwise the submission, which runs as the same user, could open the descriptor through /proc.
  ::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
  ::fcntl(to, F_SETFD, FD_CLOEXEC);
  const pid_t tool = ::fork();
  if (tool == 0) {
    ::execv(arguments[3], arguments + 3);
    std::perror(arguments[3]);
    ::_exit(kCannotStart);
  }
  int status = 0;
  while (tool > 0 && ::waitpid(tool, &status, 0) < 0 && errno == EINTR) {
  }
  if (tool < 0) {
    std::perror("fork");
    return kCannotStart;
  }
  copy_file(arguments[2], to, most);
  return exit_code_of(status);
}

}  // namespace opgrade::harness
