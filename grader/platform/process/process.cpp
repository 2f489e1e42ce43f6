#include "grader/platform/process/process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <future>
#include <mutex>
#include <optional>
#include <random>
#include <system_error>
#include <thread>

#include "grader/base/core/pipe.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/platform/process/output_capture.hpp"
#include "grader/platform/process/start_child.hpp"

namespace opgrade {
namespace {

using Clock = std::chrono::steady_clock;

/// A watcher that wakes so late did not just lack a core: it was stopped, or the whole machine was.
/// The limit of a child that ran on meanwhile is moved by that time.
constexpr std::chrono::seconds kPaused{1};
/// The watcher never sleeps longer, because it can notice a pause only by how much it overslept.
constexpr std::int64_t kLongestSleepMs = 500;

}  // namespace

ResourceUse& ResourceUse::operator+=(const ResourceUse& other) {
  user += other.user;
  system += other.system;
  peak_memory_bytes = std::max(peak_memory_bytes, other.peak_memory_bytes);
  voluntary_switches += other.voluntary_switches;
  involuntary_switches += other.involuntary_switches;
  return *this;
}

ResourceUse use_in(const rusage& waited) {
  const auto time = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  return {.user = time(waited.ru_utime),
          .system = time(waited.ru_stime),
          .peak_memory_bytes = std::int64_t{waited.ru_maxrss} * 1024,
          .voluntary_switches = waited.ru_nvcsw,
          .involuntary_switches = waited.ru_nivcsw};
}

bool ProcessReport::succeeded() const {
  const auto* const exited = std::get_if<Exited>(&end);
  return exited != nullptr && exited->code == 0;
}

struct ChildProcess::State {
  /// Standard output or standard error.
  struct Stream {
    explicit Stream(std::int64_t kept_bytes) : captured(kept_bytes), kept(kept_bytes) {}

    void read_what_is_there(std::int64_t most);

    Pipe pipe = make_pipe();
    OutputCapture captured;
    const std::int64_t kept;
    std::atomic<bool> ended = false;
  };

  pid_t pid = -1;
  Fd pidfd;
  Fd stop_event, clock_event;
  WatchLimits limits;
  std::function<void(pid_t)> kill_tree;
  std::atomic<Clock::time_point> started{}, deadline{};
  std::atomic<Clock::time_point> looked{};  ///< on its clock: last call of outside_waits
  std::atomic<Clock::time_point> paused{};  ///< since when; the epoch if the clock runs
  Clock::time_point running{};              ///< since when, if the clock was restarted or resumed
  std::mutex turning;                       ///< guards the five times above
  std::mutex reading;
  Stream out{limits.kept_bytes}, err{limits.kept_bytes};
  std::future<ProcessReport> report;
  std::jthread watcher;

  State(const WatchLimits& wanted, std::function<void(pid_t)> kill)
      : limits(wanted), kill_tree(std::move(kill)) {}

  void kill_all() {
    if (kill_tree) kill_tree(pid);
    // Uses the pidfd, so that a reused process number is never hit.
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  }

  /// The time on the child's clock.
  Clock::time_point now() const {
    const auto stopped = paused.load();
    return stopped != Clock::time_point() ? stopped : Clock::now();
  }

  std::chrono::nanoseconds since_last_look() {
    const std::scoped_lock lock(turning);
    const auto at = now();
    return at - looked.exchange(at);
  }
  bool is_over_at(Clock::time_point at) {
    const std::scoped_lock lock(turning);
    return deadline.load() <= at;
  }
  void move_deadline(std::chrono::nanoseconds by) {
    const std::scoped_lock lock(turning);
    deadline = deadline.load() + by;
  }
  /// Moves the times as if the clock had been paused from `from` to `to`, as far as it ran then.
  void leave_out(Clock::time_point from, Clock::time_point to) {
    const std::scoped_lock lock(turning);
    from = std::max(from, running);
    if (const auto since = paused.load(); since != Clock::time_point()) to = std::min(to, since);
    if (to <= from) return;
    deadline = deadline.load() + (to - from);
    for (auto* const time : {&started, &looked})
      *time = time->load() + std::max(to - std::max(from, time->load()), Clock::duration());
  }

  bool read_output();
  void add_output(ProcessReport& result) const;
  ProcessReport watch();
};

/// Reads on until nothing is there, but reads only once beyond `most` bytes.
void ChildProcess::State::Stream::read_what_is_there(std::int64_t most) {
  std::array<char, 1 << 16> buffer;
  while (!ended) {
    const ssize_t n = ::read(pipe.read.get(), buffer.data(), buffer.size());
    if (n > 0) captured.append({buffer.data(), static_cast<std::size_t>(n)});
    ended = n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN);
    if ((n < 0 && errno == EAGAIN) || captured.total_bytes() > most) return;
  }
}

/// Returns false if the output is larger than the limit.
bool ChildProcess::State::read_output() {
  const std::scoped_lock lock(reading);
  for (Stream* const stream : {&out, &err}) stream->read_what_is_there(limits.output_bytes);
  return out.captured.total_bytes() + err.captured.total_bytes() <= limits.output_bytes;
}

/// The caller holds `reading`.
void ChildProcess::State::add_output(ProcessReport& result) const {
  result.standard_output = out.captured.text();
  result.standard_error = err.captured.text();
  result.stdout_bytes = out.captured.total_bytes();
  result.stderr_bytes = err.captured.total_bytes();
}

ProcessReport ChildProcess::State::watch() {
  std::optional<Stopped> stopped;
  std::optional<Clock::time_point> death;  // when a stopped child must have ended
  bool ended = false;

  const auto stop_for = [&](Stopped::Why why) {
    if (stopped) return;
    stopped = Stopped{why};
    kill_all();
    death = Clock::now() + limits.death;
  };

  // Returns the time of the look on the child's clock.
  const auto add_outside_waits = [&] {
    if (!limits.outside_waits) return now();
    const auto since = since_last_look();
    const Clock::time_point at = looked;
    if (since > since.zero()) move_deadline(limits.outside_waits(pid, since));
    return at;
  };
  // The looks are irregular, so that no child can predict one.
  std::minstd_rand random(static_cast<unsigned>(pid));
  const auto some_time = [&] {
    return limits.looks ? limits.looks->every * (2 + static_cast<int>(random() % 5)) / 4
                        : std::chrono::milliseconds();
  };
  auto pause = some_time();
  const auto next_event = [&] {
    if (!limits.looks) return deadline.load();
    return std::min(deadline.load(),
                    std::max(looked.load() + pause, started.load() + limits.looks->from));
  };

  auto awake = started.load();
  // After the child's end its pipes are drained once and then left, because a process that escaped
  // the kill could hold them open indefinitely.
  while (!ended) {
    std::array<pollfd, 6> watched{{{pidfd.get(), POLLIN, 0},
                                   {out.ended ? -1 : out.pipe.read.get(), POLLIN, 0},
                                   {err.ended ? -1 : err.pipe.read.get(), POLLIN, 0},
                                   {stop_event.get(), POLLIN, 0},
                                   {interrupt::descriptor(), POLLIN, 0},
                                   {clock_event.get(), POLLIN, 0}}};
    if (stopped) watched[3].fd = watched[4].fd = -1;
    const auto left_until = [&] {
      const auto left = death ? *death - Clock::now() : next_event() - now();
      return std::chrono::duration_cast<std::chrono::milliseconds>(left).count();
    };
    const auto timeout =
        static_cast<int>(std::clamp<std::int64_t>(left_until() + 1, 0, kLongestSleepMs));
    const int ready = ::poll(watched.data(), watched.size(), timeout);
    const auto wanted = awake + std::chrono::milliseconds(timeout);
    awake = Clock::now();
    if (awake - wanted > kPaused) {
      leave_out(wanted, awake);
      if (death) *death += awake - wanted;
    }
    if (ready == 0) {
      if (left_until() > 0) continue;  // not yet: its clock was started again or paused
      if (stopped) {
        if (limits.still_ends && limits.still_ends(pid)) {
          death = Clock::now() + limits.death;
          continue;
        }
        throw Error(fmt::format("process {} shows no sign of life for {:g} s after SIGKILL", pid,
                                std::chrono::duration<double>(limits.death).count()),
                    "it is stuck in the kernel: see `dmesg`, and reboot before grading again");
      }
      const Clock::time_point looked_at = add_outside_waits();
      pause = some_time();
      // On a busy machine the look itself may take longer than the child had left: the next look
      // says what the child waited for meanwhile, and the child may have ended.
      pollfd end{pidfd.get(), POLLIN, 0};
      if (is_over_at(looked_at) && ::poll(&end, 1, 0) == 0) stop_for(Stopped::Why::wall_time);
      continue;
    }
    if (watched[5].revents != 0) {
      std::uint64_t times;
      [[maybe_unused]] const auto taken = ::read(clock_event.get(), &times, sizeof times);
    }
    if ((watched[1].revents | watched[2].revents) != 0 && !read_output())
      stop_for(Stopped::Why::output);
    if ((watched[3].revents | watched[4].revents) != 0) stop_for(Stopped::Why::request);
    ended = watched[0].revents != 0;
  }
  if (kill_tree) kill_tree(pid);
  read_output();

  ProcessReport result;
  int status = 0;
  rusage usage{};
  while (::wait4(pid, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  result.elapsed = Clock::now() - started.load();
  if (stopped) {
    result.end = *stopped;
  } else if (WIFSIGNALED(status)) {
    result.end = Signalled{WTERMSIG(status)};
  } else {
    result.end = Exited{WEXITSTATUS(status)};
  }
  result += use_in(usage);
  const std::scoped_lock lock(reading);
  add_output(result);
  return result;
}

ChildProcess::ChildProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;

ChildProcess::~ChildProcess() {
  if (state_ && state_->watcher.joinable()) stop();
}

pid_t ChildProcess::pid() const { return state_->pid; }

void ChildProcess::pause_clock() {
  const std::scoped_lock lock(state_->turning);
  if (state_->paused.load() == Clock::time_point()) state_->paused = Clock::now();
}

/// The watcher wakes at the old limit and finds the new one.
void ChildProcess::resume_clock() {
  const std::scoped_lock lock(state_->turning);
  const auto since = state_->paused.load();
  if (since == Clock::time_point()) return;
  const auto still = Clock::now() - since;
  state_->started = state_->started.load() + still;
  state_->deadline = state_->deadline.load() + still;
  state_->looked = state_->looked.load() + still;
  state_->running = Clock::now();
  state_->paused = Clock::time_point();
}

std::chrono::nanoseconds ChildProcess::time_left() const {
  return state_->deadline.load() - state_->now();
}

void ChildProcess::restart_clock(std::chrono::milliseconds wall) {
  const std::scoped_lock lock(state_->turning);
  const auto now = Clock::now();
  if (state_->paused.load() != Clock::time_point()) state_->paused = now;
  state_->started = state_->looked = state_->running = now;
  state_->deadline = now + wall;
  const std::uint64_t one = 1;  // wakes the watcher: the new limit may end before the old one
  [[maybe_unused]] const auto written = ::write(state_->clock_event.get(), &one, sizeof one);
}

ProcessReport ChildProcess::part() {
  state_->read_output();
  ProcessReport result;
  const auto now = state_->now();
  result.elapsed = now - state_->started.exchange(now);
  const std::scoped_lock lock(state_->reading);
  state_->add_output(result);
  for (State::Stream* const stream : {&state_->out, &state_->err})
    stream->captured = OutputCapture(stream->kept);
  return result;
}

void ChildProcess::stop() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(state_->stop_event.get(), &one, sizeof one);
}

bool ChildProcess::await_end(std::chrono::milliseconds longest) const {
  return state_->report.wait_for(longest) == std::future_status::ready;
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
  auto state = std::make_unique<State>(limits, std::move(kill_tree));
  for (const State::Stream* const stream : {&state->out, &state->err})
    ::fcntl(stream->pipe.read.get(), F_SETFL, O_NONBLOCK);
  state->stop_event = Fd(::eventfd(0, EFD_CLOEXEC));
  state->clock_event = Fd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const Fd null(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!state->stop_event || !state->clock_event || !null) {
    throw Error(fmt::format("cannot start {}: {}", command.program.string(), std::strerror(errno)),
                "raise the limit on open files (ulimit -n)");
  }

  state->started = state->looked = Clock::now();
  state->deadline = state->started.load() + limits.wall;
  state->pid =
      start_child(command, {null.get(), state->out.pipe.write.get(), state->err.pipe.write.get()});
  state->pidfd = Fd(static_cast<int>(::syscall(SYS_pidfd_open, state->pid, 0)));
  if (!state->pidfd) {
    ::kill(state->pid, SIGKILL);
    ::waitpid(state->pid, nullptr, 0);
    throw Error(fmt::format("cannot watch process {}: {}", state->pid, std::strerror(errno)),
                "Linux 5.3 or later is needed");
  }
  state->out.pipe.write.reset();
  state->err.pipe.write.reset();

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
