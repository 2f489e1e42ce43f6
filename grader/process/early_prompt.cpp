#include "grader/process/early_prompt.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>

namespace opgrade::early_prompt {
namespace {

int waiting = -1;  ///< the pipe to the process that waits

[[noreturn]] void wait_for(pid_t child, int from) {
  // Ctrl-C reaches both; the child says what becomes of it.
  ::signal(SIGINT, SIG_IGN);
  ::signal(SIGQUIT, SIG_IGN);
  ::signal(SIGTERM, SIG_DFL);
  ::signal(SIGHUP, SIG_DFL);
  unsigned char code = 0;
  ssize_t got = 0;
  do got = ::read(from, &code, 1);
  while (got < 0 && errno == EINTR);
  if (got == 1) ::_exit(code);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    ::signal(WTERMSIG(status), SIG_DFL);
    ::raise(WTERMSIG(status));
  }
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

}  // namespace

void begin() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child > 0) {
    ::close(ends[1]);
    wait_for(child, ends[0]);
  }
  ::close(ends[0]);
  if (child < 0) {
    ::close(ends[1]);
    return;
  }
  waiting = ends[1];
  // Until the report is there both end together.
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (::getppid() != parent) ::raise(SIGTERM);
}

void begin_on_terminal() {
  if (::isatty(STDIN_FILENO) != 0 && ::isatty(STDOUT_FILENO) != 0) begin();
}

void release(int code) {
  if (waiting < 0) return;
  ::prctl(PR_SET_PDEATHSIG, 0);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (nowhere >= 0) ::dup2(nowhere, fd);
  const auto byte = static_cast<unsigned char>(code);
  (void)!::write(waiting, &byte, 1);
  ::close(waiting);
  waiting = -1;
}

}  // namespace opgrade::early_prompt
