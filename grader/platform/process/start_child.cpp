#include "grader/platform/process/start_child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <system_error>
#include <thread>

#include "grader/base/core/error.hpp"
#include "grader/base/core/pipe.hpp"

namespace opgrade {
namespace {

/// Everything that the child needs, made before the fork.
struct Prepared {
  Prepared(const Command& wanted, const StandardStreams& streams, int pipe)
      : command(wanted), failure(pipe) {
    arguments.push_back(command.program.c_str());
    for (const auto& argument : command.arguments) arguments.push_back(argument.c_str());
    arguments.push_back(nullptr);
    for (const auto& variable : command.environment) environment.push_back(variable.c_str());
    environment.push_back(nullptr);
    moves = {{streams.input, 0}, {streams.output, 1}, {streams.error, 2}};
    moves.insert(moves.end(), command.descriptors.begin(), command.descriptors.end());
    CPU_ZERO(&cores);
    for (const int core : command.cores)
      if (core >= 0 && core < CPU_SETSIZE) CPU_SET(core, &cores);
    for (const PassedFd& move : moves) highest = std::max(highest, move.as);
    for (const auto& file : command.join_files) {
      join_files.emplace_back(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
      if (!join_files.back()) {
        throw Error(fmt::format("cannot open {}: {}", file.string(), std::strerror(errno)),
                    "the control group vanished; is another program managing it?");
      }
    }
  }

  const Command& command;
  std::vector<const char*> arguments;    // ends with a null pointer
  std::vector<const char*> environment;  // ends with a null pointer
  std::vector<PassedFd> moves;
  int highest = 0;  // highest number under which a descriptor is passed
  std::vector<Fd> join_files;
  cpu_set_t cores;
  int failure;  // the child writes errno here; a successful exec closes it
  pid_t parent = ::getpid();
};

/// Runs in the child: returns errno if a step fails. Makes only async-signal-safe calls.
int become(Prepared& prepared) {
  const Command& command = prepared.command;
  ::setsid();
  for (const Fd& file : prepared.join_files)
    if (::write(file.get(), "0", 1) != 1) return errno;
  // Everything that is not passed closes at exec, even what the caller left open without
  // close-on-exec; the dup2 below clears the mark again.
  ::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
  // First every source moves above all targets, so that no dup2 overwrites a source or the pipe.
  prepared.failure = ::fcntl(prepared.failure, F_DUPFD_CLOEXEC, prepared.highest + 1);
  for (PassedFd& move : prepared.moves)
    if ((move.fd = ::fcntl(move.fd, F_DUPFD_CLOEXEC, prepared.highest + 1)) < 0) return errno;
  for (const PassedFd& move : prepared.moves)
    if (::dup2(move.fd, move.as) < 0) return errno;
  for (const ResourceLimit& limit : command.limits) {
    const rlimit both{limit.value, limit.value + limit.grace};
    if (::setrlimit(static_cast<__rlimit_resource>(limit.resource), &both) != 0) return errno;
  }
  // The result is not checked, because -1 is also a valid niceness and only lowering it can fail.
  if (command.niceness > 0) ::nice(command.niceness);
  if (!command.cores.empty() && ::sched_setaffinity(0, sizeof prepared.cores, &prepared.cores) != 0)
    return errno;
  if (command.drop_to_nobody &&
      (::setgroups(0, nullptr) != 0 || ::setresgid(65534, 65534, 65534) != 0 ||
       ::setresuid(65534, 65534, 65534) != 0)) {
    return errno;
  }
  // Makes a killed grader leave nothing running. Set after the change of user, which resets it. If
  // the grader died before this call, it is no longer the parent.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return errno;
  if (::getppid() != prepared.parent) ::_exit(127);
  if (::chdir(command.working_folder.c_str()) != 0) return errno;
  // Otherwise the submission would inherit a shell's ignored or blocked signals.
  for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (command.confine)
    if (const int failed = command.confine(); failed != 0) return failed;
  ::execve(prepared.arguments.front(), const_cast<char* const*>(prepared.arguments.data()),
           const_cast<char* const*>(prepared.environment.data()));
  return errno;
}

/// All signals are blocked during the fork, so that none of this process's handlers runs in the
/// child.
pid_t fork_prepared(Prepared& prepared) {
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t child = ::fork();
  if (child == 0) {
    const int failed = become(prepared);
    [[maybe_unused]] const auto told = ::write(prepared.failure, &failed, sizeof failed);
    ::_exit(127);
  }
  const int failed = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = failed;
  return child;
}

/// The thread that starts every child. It never ends, because a child may outlive the thread that
/// asked for it.
class StartingThread {
 public:
  StartingThread() {
    try {
      std::thread([this] { serve(); }).detach();
    } catch (const std::system_error& e) {
      throw Error(fmt::format("cannot start a thread: {}", e.what()),
                  "raise the limit on processes (ulimit -u)");
    }
  }

  void run(std::packaged_task<void()> task) {
    auto done = task.get_future();
    {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(task));
    }
    wake_.notify_one();
    done.get();
  }

 private:
  [[noreturn]] void serve() {
    for (;;) {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return !waiting_.empty(); });
      auto task = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::packaged_task<void()>> waiting_;
};

std::string cannot_start(const Command& command, int reason) {
  return fmt::format("cannot start {}: {}", command.program.string(), std::strerror(reason));
}

}  // namespace

pid_t start_child(const Command& command, const StandardStreams& streams) {
  static StartingThread& thread = *new StartingThread;
  Pipe told = make_pipe();
  Prepared prepared(command, streams, told.write.get());
  pid_t child = -1;
  int failed = 0;
  thread.run(std::packaged_task<void()>([&] {
    child = fork_prepared(prepared);
    failed = errno;
  }));
  if (child < 0) {
    throw Error(cannot_start(command, failed),
                "raise the limits on processes (ulimit -u) and memory, or end other programs");
  }
  told.write.reset();
  ssize_t n = 0;
  while ((n = ::read(told.read.get(), &failed, sizeof failed)) < 0 && errno == EINTR) {
  }
  if (n != sizeof failed) return child;
  while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  // The exec is refused if the child's user has reached its limit on processes.
  if (failed == EAGAIN)
    throw NoMoreProcesses(cannot_start(command, failed), "end other processes of its user");
  throw Error(cannot_start(command, failed), "run `opgrade doctor`");
}

}  // namespace opgrade
