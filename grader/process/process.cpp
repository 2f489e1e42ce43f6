// Boost.Process starts the child; a pidfd and wait4(2) wait for it. Boost.Process 1.81 reports
// neither resource usage nor the difference between `exit 9` and SIGKILL.
#include "grader/process/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/process/v2/process.hpp>
#include <cerrno>
#include <cstring>
#include <future>
#include <optional>
#include <system_error>
#include <thread>

#include "grader/core/error.hpp"
#include "grader/core/fd.hpp"
#include "grader/process/interrupt.hpp"
#include "grader/process/output_capture.hpp"

namespace opgrade {
namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  Fd read;
  Fd write;
};

Pipe make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    throw Error(fmt::format("cannot make a pipe: {}", std::strerror(errno)),
                "raise the limit on open files (ulimit -n)");
  }
  return {Fd(ends[0]), Fd(ends[1])};
}

/// Boost.Process calls on_exec_setup in the child between fork and exec: only async-signal-safe
/// calls are made there, on memory prepared before.
struct ChildSetup {
  const Command& command;
  int null_fd;
  int stdout_fd;
  int stderr_fd;
  std::vector<int> join_fds;
  std::vector<const char*> environment;  // ends with a null pointer
  pid_t parent = ::getpid();

  template <class Launcher>
  boost::system::error_code on_setup(Launcher& launcher, const boost::filesystem::path&,
                                     const char* const*&) {
    launcher.env = environment.data();
    // The launcher closes every descriptor that it does not know of.
    for (const PassedFd& passed : command.descriptors) launcher.fd_whitelist.push_back(passed.as);
    return {};
  }

  boost::system::error_code step_failed() const {
    return {errno, boost::system::system_category()};
  }

  template <class Launcher>
  boost::system::error_code on_exec_setup(Launcher&, const boost::filesystem::path&,
                                          const char* const*&) {
    ::setsid();
    for (const int fd : join_fds) {
      if (::write(fd, "0", 1) != 1) return step_failed();
    }
    // Everything that is not passed closes at exec, also what the caller left open without
    // close-on-exec; dup2 below takes the mark off again. (The launcher's own closing of 1.81 skips
    // the numbers between two passed ones.)
    ::syscall(SYS_close_range, 3U, ~0U, 4U /* CLOSE_RANGE_CLOEXEC */);
    // Two passes: first move every source above all targets, so that no dup2 overwrites a source.
    std::array<PassedFd, 32> moves{};
    std::size_t count = 0;
    moves[count++] = {null_fd, 0};
    moves[count++] = {stdout_fd, 1};
    moves[count++] = {stderr_fd, 2};
    for (const PassedFd& passed : command.descriptors) {
      if (count == moves.size()) {
        errno = EMFILE;
        return step_failed();
      }
      moves[count++] = passed;
    }
    int highest = 2;
    for (std::size_t i = 0; i < count; ++i) highest = std::max(highest, moves[i].as);
    for (std::size_t i = 0; i < count; ++i) {
      const int moved = ::fcntl(moves[i].fd, F_DUPFD_CLOEXEC, highest + 1);
      if (moved < 0) return step_failed();
      moves[i].fd = moved;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if (::dup2(moves[i].fd, moves[i].as) < 0) return step_failed();
    }
    for (const ResourceLimit& limit : command.limits) {
      const rlimit both{limit.value, limit.value + limit.grace};
      if (::setrlimit(static_cast<__rlimit_resource>(limit.resource), &both) != 0) {
        return step_failed();
      }
    }
    // -1 is a niceness as well as a failure, which only a lowered one can meet.
    if (command.niceness > 0) ::nice(command.niceness);
    if (command.drop_to_nobody &&
        (::setgroups(0, nullptr) != 0 || ::setresgid(65534, 65534, 65534) != 0 ||
         ::setresuid(65534, 65534, 65534) != 0)) {
      return step_failed();
    }
    // A killed grader leaves nothing running. After the change of user, which forgets the request;
    // a grader that died before it is no longer the parent.
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return step_failed();
    if (::getppid() != parent) ::_exit(127);
    if (::chdir(command.working_folder.c_str()) != 0) return step_failed();
    // A shell's ignored or blocked signals would otherwise reach the submission.
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (int number = 1; number < NSIG; ++number) ::signal(number, SIG_DFL);
    if (command.confine) {
      if (const int failed = command.confine(); failed != 0)
        return {failed, boost::system::system_category()};
    }
    return {};
  }

  /// In the child, after a failure was reported. Boost.Process 1.81 would run this process's exit
  /// handlers there; it looks for this function with one more argument than it calls it with.
  template <class... Arguments>
  void on_exec_error(Arguments&&...) const {
    ::_exit(127);
  }
};

/// Runs `work` on the thread that starts every child. PR_SET_PDEATHSIG, and bubblewrap's option of
/// that kind, name the thread that forked: a child must not die with a thread of a class run.
void on_starting_thread(const std::function<void()>& work) {
  boost::asio::thread_pool* thread = nullptr;
  try {
    static boost::asio::thread_pool starting(1);
    thread = &starting;
  } catch (const std::system_error& e) {
    throw Error(fmt::format("cannot start a thread: {}", e.what()),
                "raise the limit on processes (ulimit -u)");
  }
  std::packaged_task<void()> task(work);
  auto done = task.get_future();
  boost::asio::post(*thread, std::move(task));
  done.get();
}

std::chrono::microseconds to_duration(const timeval& t) {
  return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
}

}  // namespace

struct ChildProcess::State {
  pid_t pid = -1;
  Fd pidfd;
  Fd stop_event;
  Pipe out;
  Pipe err;
  WatchLimits limits;
  std::function<void(pid_t)> kill_tree;
  Clock::time_point started;
  std::future<ProcessReport> report;
  std::jthread watcher;

  void kill_all() {
    if (kill_tree) kill_tree(pid);
    // Through the pidfd: a reused process number is never hit.
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  }

  ProcessReport watch();
};

ProcessReport ChildProcess::State::watch() {
  OutputCapture captured_out(limits.kept_bytes);
  OutputCapture captured_err(limits.kept_bytes);
  std::optional<Stopped> stopped;
  auto deadline = started + limits.wall;
  std::array<char, 1 << 16> buffer;
  bool ended = false;

  const auto drain = [&](Fd& fd, OutputCapture& capture) {
    const ssize_t n = ::read(fd.get(), buffer.data(), buffer.size());
    if (n > 0) {
      capture.append({buffer.data(), static_cast<std::size_t>(n)});
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
      fd.reset();
    }
  };
  const auto stop_for = [&](Stopped::Why why) {
    if (stopped) return;
    stopped = Stopped{why};
    kill_all();
    deadline = Clock::now() + limits.death;
  };

  // After the child's end its pipes are drained once more and left: a process that escaped the
  // kill could hold them open indefinitely.
  while (!ended) {
    std::array<pollfd, 5> watched{{{pidfd.get(), POLLIN, 0},
                                   {out.read.get(), POLLIN, 0},
                                   {err.read.get(), POLLIN, 0},
                                   {stop_event.get(), POLLIN, 0},
                                   {interrupt::descriptor(), POLLIN, 0}}};
    if (stopped) watched[3].fd = watched[4].fd = -1;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    const auto timeout = static_cast<int>(std::max<std::int64_t>(left.count() + 1, 0));
    const int ready = ::poll(watched.data(), watched.size(), timeout);
    if (ready == 0) {
      if (stopped) {
        throw Error(fmt::format("process {} does not end {:g} s after SIGKILL", pid,
                                std::chrono::duration<double>(limits.death).count()),
                    "it is stuck in the kernel: see `dmesg`, and reboot before grading again");
      }
      stop_for(Stopped::Why::wall_time);
      continue;
    }
    if (watched[1].revents != 0) drain(out.read, captured_out);
    if (watched[2].revents != 0) drain(err.read, captured_err);
    if (captured_out.total_bytes() + captured_err.total_bytes() > limits.output_bytes) {
      stop_for(Stopped::Why::output);
    }
    if ((watched[3].revents | watched[4].revents) != 0) stop_for(Stopped::Why::request);
    ended = watched[0].revents != 0;
  }
  if (kill_tree) kill_tree(pid);
  for (auto [fd, capture] : {std::pair{&out.read, &captured_out}, {&err.read, &captured_err}}) {
    if (!*fd) continue;
    ::fcntl(fd->get(), F_SETFL, O_NONBLOCK);
    for (ssize_t n; (n = ::read(fd->get(), buffer.data(), buffer.size())) > 0 &&
                    capture->total_bytes() <= limits.output_bytes;) {
      capture->append({buffer.data(), static_cast<std::size_t>(n)});
    }
  }

  ProcessReport result;
  int status = 0;
  rusage usage{};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.elapsed = Clock::now() - started;
  if (stopped) {
    result.end = *stopped;
  } else if (WIFSIGNALED(status)) {
    result.end = Signalled{WTERMSIG(status)};
  } else {
    result.end = Exited{WEXITSTATUS(status)};
  }
  result.user = to_duration(usage.ru_utime);
  result.system = to_duration(usage.ru_stime);
  result.peak_memory_bytes = std::int64_t{usage.ru_maxrss} * 1024;
  result.voluntary_switches = usage.ru_nvcsw;
  result.involuntary_switches = usage.ru_nivcsw;
  result.standard_output = captured_out.text();
  result.standard_error = captured_err.text();
  result.stdout_bytes = captured_out.total_bytes();
  result.stderr_bytes = captured_err.total_bytes();
  return result;
}

ChildProcess::ChildProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;

ChildProcess::~ChildProcess() {
  if (state_ && state_->watcher.joinable()) stop();
}

pid_t ChildProcess::pid() const { return state_->pid; }

void ChildProcess::stop() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(state_->stop_event.get(), &one, sizeof one);
}

ProcessReport ChildProcess::finish() {
  state_->watcher.join();
  return state_->report.get();
}

ChildProcess ChildProcess::start(const Command& command, const WatchLimits& limits,
                                 std::function<void(pid_t)> kill_tree) {
  if (::access(command.program.c_str(), X_OK) != 0) {
    throw Error(fmt::format("cannot run {}: {}", command.program.string(), std::strerror(errno)),
                "run `opgrade doctor` to see what is missing");
  }
  auto state = std::make_unique<State>();
  state->limits = limits;
  state->kill_tree = std::move(kill_tree);
  state->out = make_pipe();
  state->err = make_pipe();
  state->stop_event = Fd(::eventfd(0, EFD_CLOEXEC));
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!state->stop_event || !null) {
    throw Error(fmt::format("cannot start {}: {}", command.program.string(), std::strerror(errno)),
                "raise the limit on open files (ulimit -n)");
  }

  ChildSetup setup{command, null.get(), state->out.write.get(), state->err.write.get(), {}, {}};
  for (const auto& variable : command.environment) setup.environment.push_back(variable.c_str());
  setup.environment.push_back(nullptr);
  std::vector<Fd> join_files;
  for (const auto& file : command.join_files) {
    join_files.emplace_back(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
    if (!join_files.back()) {
      throw Error(fmt::format("cannot open {}: {}", file.string(), std::strerror(errno)),
                  "the control group vanished; is another program managing it?");
    }
    setup.join_fds.push_back(join_files.back().get());
  }

  namespace bp = boost::process::v2;
  state->started = Clock::now();
  on_starting_thread([&] {
    boost::asio::io_context context;
    bp::posix::default_launcher launcher;
    try {
      auto child =
          launcher(context.get_executor(), boost::filesystem::path(command.program.string()),
                   command.arguments, setup);
      state->pid = child.id();
      child.detach();
    } catch (const boost::system::system_error& e) {
      // A child whose set-up failed has ended, but the launcher does not reap it.
      if (launcher.pid > 0) ::waitpid(launcher.pid, nullptr, 0);
      throw Error(fmt::format("cannot start {}: {}", command.program.string(), e.what()),
                  "run `opgrade doctor`");
    }
  });
  state->pidfd = Fd(static_cast<int>(::syscall(SYS_pidfd_open, state->pid, 0)));
  if (!state->pidfd) {
    ::kill(state->pid, SIGKILL);
    ::waitpid(state->pid, nullptr, 0);
    throw Error(fmt::format("cannot watch process {}: {}", state->pid, std::strerror(errno)),
                "Linux 5.3 or later is needed");
  }
  state->out.write.reset();
  state->err.write.reset();

  std::packaged_task<ProcessReport()> task([s = state.get()] { return s->watch(); });
  state->report = task.get_future();
  try {
    state->watcher = std::jthread(std::move(task));
  } catch (const std::system_error& e) {
    state->kill_all();
    ::waitpid(state->pid, nullptr, 0);
    throw Error(fmt::format("cannot watch process {}: {}", state->pid, e.what()),
                "raise the limit on processes (ulimit -u)");
  }
  return ChildProcess(std::move(state));
}

ProcessReport run_command(const Command& command, const WatchLimits& limits) {
  return ChildProcess::start(command, limits).finish();
}

}  // namespace opgrade
