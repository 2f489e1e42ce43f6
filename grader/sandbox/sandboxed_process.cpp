#include "grader/sandbox/sandboxed_process.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <set>
#include <string_view>
#include <thread>
#include <utility>

#include "grader/core/error.hpp"
#include "grader/sandbox/sandbox_limits.hpp"

namespace opgrade {
namespace {

/// Asks again and again whether `done`; false when it was not in the time that a death may take.
bool wait_for_death(const std::function<bool()>& done) {
  const auto deadline = std::chrono::steady_clock::now() + kLongestDeath;
  for (auto pause = std::chrono::microseconds(50); !done();
       pause = std::min(2 * pause, std::chrono::microseconds(10'000))) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(pause);
  }
  return true;
}

}  // namespace

bool SandboxedProcess::State::stop_at_once() const {
  return namespaces ? cgroup && cgroup->freeze() : ProcessGroup::stop(child->pid());
}

/// False at the end of what is told.
bool SandboxedProcess::State::listen(int milliseconds) {
  std::array<char, 200> part;
  pollfd ready{info.get(), POLLIN, 0};
  for (; info && ::poll(&ready, 1, milliseconds) == 1; milliseconds = 0) {
    const ssize_t n = ::read(info.get(), part.data(), part.size());
    if (n <= 0) return false;
    told.append(part.data(), static_cast<std::size_t>(n));
  }
  return true;
}

/// From Linux 5.14 on, a user namespace counts its processes by itself. A limit that its first
/// process gets after the namespace was made is held inside alone: no neighbour uses it up.
void SandboxedProcess::State::limit_and_begin(bool as_nobody) {
  const auto give_up = std::chrono::steady_clock::now() + policy.wall;
  bool told_more = true;  // false when bubblewrap has ended
  while (init == 0 && told_more && std::chrono::steady_clock::now() < give_up)
    told_more = find_init();
  if (init == 0) {  // nothing runs behind a closed gate
    if (told_more) child->stop();
    return;
  }
  const auto most = static_cast<std::uint64_t>(policy.processes + kOwnProcesses);
  if (!proc::limit_processes(init, most, as_nobody ? kNobody : ::geteuid())) {
    throw Error(fmt::format("cannot limit the processes of a sandbox: {}", std::strerror(errno)),
                "run `opgrade doctor`");
  }
  gate.reset();
}

/// False when nothing more will be told.
bool SandboxedProcess::State::find_init() {
  if (init != 0 || !info) return false;
  pollfd ready{info.get(), POLLIN, 0};
  ::poll(&ready, 1, 1000);  // before the lock: no thread keeps the other waiting
  const std::scoped_lock lock(telling);
  if (init != 0) return false;
  const bool open = listen(0);
  constexpr std::string_view kKey = "\"child-pid\": ";
  const auto at = told.find(kKey);
  if (at != told.npos) init = std::atoi(told.c_str() + at + kKey.size());
  return open;
}

/// Before bubblewrap's own process is killed: without it an init that has not yet asked to die with
/// its parent would stay.
void SandboxedProcess::State::kill_init() {
  find_init();
  if (init > 0 && proc::parent_of(proc::parent_of(init)) == ::getpid()) ::kill(init, SIGKILL);
}

/// bubblewrap ends without waiting for its init, so what it used does not hold what the run used.
/// The init became our child (we are a subreaper); it ends when nothing of its namespace is left.
void SandboxedProcess::State::reap_init(SandboxReport& report) {
  find_init();
  // Asked before it is killed: a number that is no child of ours may be anybody's by now.
  siginfo_t known{};
  if (init <= 0 ||
      ::waitid(P_PID, static_cast<id_t>(init), &known, WEXITED | WNOHANG | WNOWAIT) != 0)
    return;
  ::kill(init, SIGKILL);
  rusage usage{};
  const bool ended = wait_for_death([&] {
    const pid_t waited = ::wait4(init, nullptr, WNOHANG, &usage);
    return waited == init || (waited < 0 && errno != EINTR);
  });
  stuck = !ended;
  if (stuck) return;
  const auto time = [](const timeval& t) {
    return std::chrono::seconds(t.tv_sec) + std::chrono::microseconds(t.tv_usec);
  };
  ProcessReport& process = report.process;
  process.user += time(usage.ru_utime);
  process.system += time(usage.ru_stime);
  process.peak_memory_bytes =
      std::max(process.peak_memory_bytes, std::int64_t{usage.ru_maxrss} * 1024);
  process.voluntary_switches += usage.ru_nvcsw;
  process.involuntary_switches += usage.ru_nivcsw;
}

/// The orphans' resource use in a process group.
void SandboxedProcess::State::add_orphans(ProcessReport& process) const {
  const GroupUse& use = group.use();
  process.user += use.user;
  process.system += use.system;
  process.peak_memory_bytes = std::max(process.peak_memory_bytes, use.peak_memory_bytes);
  process.voluntary_switches += use.voluntary_switches;
  process.involuntary_switches += use.involuntary_switches;
}

/// bubblewrap reports how the program ended only if it began. Its text on stderr is no evidence: a
/// compiler prints what a source asks it to.
bool SandboxedProcess::State::started(const ProcessReport& process) {
  if (!namespaces || !std::holds_alternative<Exited>(process.end)) return true;
  const std::scoped_lock lock(telling);
  listen(0);
  return told.find("\"exit-code\"") != told.npos;
}

SandboxedProcess::SandboxedProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
SandboxedProcess::SandboxedProcess(SandboxedProcess&&) noexcept = default;
SandboxedProcess::~SandboxedProcess() {
  if (!state_ || !state_->child || state_->finished) return;
  state_->child.reset();
  SandboxReport unread;
  state_->reap_init(unread);
}

StopReport SandboxedProcess::freeze() {
  // A process that waits in the kernel where no signal reaches it, as a parent does in vfork,
  // cannot come back without stopping first. Most such waits are short and better waited out.
  constexpr int kPatience = 50;
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const auto settled = [](int pid, int round) {
    return std::ranges::all_of(proc::thread_states(pid), [&](char state) {
      return state == 'T' || state == 't' || (state == 'D' && round > kPatience);
    });
  };
  // Until then a process without its stop signal could run.
  auto told = begin;
  const bool at_once = state_->stop_at_once();
  if (at_once) told = Clock::now();
  // A held process forks no more, so the first list has them all.
  if (at_once && state_->cgroup) state_->cgroup->is_frozen();
  // Again from the start while new members appear: a fork may have been under way. Done after two
  // rounds that found nothing running. A child forked while the first list was read is in the
  // second, and its parent was stopped by then.
  bool before = false;
  std::set<int> known;
  for (int round = 0; Clock::now() < begin + state_->policy.stopping; ++round) {
    const auto pids = state_->members();
    // All at once, before any check: the last of many would run meanwhile.
    bool another = false;
    for (const int pid : pids) {
      if (!known.insert(pid).second) continue;
      ::kill(pid, SIGSTOP);
      another = true;
    }
    if (another && !(at_once && round == 0)) told = Clock::now();
    if (round == 0 && state_->cgroup) state_->cgroup->thaw();
    const bool all =
        std::all_of(pids.begin(), pids.end(), [&](int pid) { return settled(pid, round); });
    if (all && before) {
      const auto alive =
          std::ranges::count_if(pids, [](int pid) { return !proc::thread_states(pid).empty(); });
      const int own = state_->namespaces ? 1 : 0;  // bubblewrap's init
      return {true, std::max(static_cast<int>(alive) - own, 0), told - begin};
    }
    before = all;
    for (const int pid : pids) {
      if (!settled(pid, round)) ::kill(pid, SIGSTOP);
    }
    if (!all && round > 2) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (state_->cgroup) state_->cgroup->thaw();
  state_->unstoppable = true;
  state_->child->stop();
  return {false, 0, Clock::now() - begin};
}

std::chrono::steady_clock::time_point SandboxedProcess::thaw() {
  const auto pids = state_->members();
  const auto first = std::chrono::steady_clock::now();
  for (const int pid : pids) ::kill(pid, SIGCONT);
  return first;
}

std::int64_t SandboxedProcess::private_memory() const {
  std::int64_t bytes = 0;
  for (const int pid : state_->members()) bytes += proc::private_memory_of(pid);
  return bytes;
}

void SandboxedProcess::restart_clock(std::chrono::milliseconds wall) {
  state_->child->restart_clock(wall);
}

void SandboxedProcess::stop() { state_->child->stop(); }

SandboxReport SandboxedProcess::finish() {
  SandboxReport report;
  state_->finished = true;
  report.process = state_->child->finish();
  state_->reap_init(report);
  state_->add_orphans(report.process);
  for (auto* text : {&report.process.standard_output, &report.process.standard_error})
    *text = state_->paths.to_policy(std::move(*text));
  report.peak_memory_bytes = report.process.peak_memory_bytes;
  if (state_->cgroup) {
    const CgroupUse use = state_->cgroup->use();
    report.peak_memory_bytes = use.peak_memory_bytes;
    report.memory_limit_hit = use.memory_limit_hit;
    report.process_limit_hit = use.process_limit_hit;
    // bubblewrap leaves without waiting for its init, so wait4 sees little of the tree's time.
    report.process.user = std::max(report.process.user, use.user);
    report.process.system = std::max(report.process.system, use.system);
  }
  const bool gone = !state_->stuck && wait_for_death([&] {
    if (state_->cgroup) return state_->cgroup->processes().empty();
    if (state_->namespaces || state_->members().empty()) return true;
    state_->group.end(state_->child->pid());
    return false;
  });
  if (!gone) {
    throw Error("processes of a finished run are still alive after SIGKILL",
                "a process is stuck in the kernel: see `dmesg`, and reboot before grading again");
  }
  report.limit_hit = limit_in_words(state_->policy, report, state_->unstoppable);
  report.started = state_->started(report.process);
  // No process inside can signal bubblewrap's own, which reports theirs by an exit code.
  if (const auto* const killed = std::get_if<Signalled>(&report.process.end);
      killed != nullptr && state_->info && report.limit_hit.empty()) {
    throw Error(fmt::format("the sandbox was killed from outside by signal {}", killed->number),
                "read `dmesg`: the machine may have run out of memory; grade again");
  }
  return report;
}

}  // namespace opgrade
