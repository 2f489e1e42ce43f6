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

SandboxedProcess::State::CoreTime SandboxedProcess::State::core_time(pid_t outer) const {
  CoreTime all;
  const ResourceUse& dead = group.use();
  all.computed = dead.user + dead.system;
  for (const int pid : members_of(outer)) {
    all.computed += proc::computed_by(pid);
    proc::add_core_waits(pid, all.waits);
  }
  if (cgroup) {
    const CgroupUse use = cgroup->use();
    all.computed = std::max(all.computed, use.user + use.system);
  }
  return all;
}

/// A busy machine takes no run's time: what a thread stood in line for a core comes on top, but for
/// what the run itself computed meanwhile on the cores that the thread may use. So its own threads
/// and children gain it nothing, and the seccomp filter lets none give way to others.
std::chrono::nanoseconds SandboxedProcess::State::more_wall(pid_t outer) {
  constexpr std::chrono::milliseconds kLeast{5};
  const std::scoped_lock lock(waiting);
  const CoreTime now = core_time(outer);
  computed = std::max(now.computed - before.computed, std::chrono::microseconds());
  std::chrono::nanoseconds waited{};
  pid_t thread = 0;
  for (const auto& [id, all] : now.waits) {
    const auto earlier = before.waits.find(id);
    const auto since = earlier == before.waits.end() ? all : all - earlier->second;
    if (since <= waited) continue;
    waited = since;
    thread = id;
  }
  if (thread == 0) return {};
  const std::chrono::nanoseconds most = kMostWaiting * policy.wall;
  const std::chrono::nanoseconds others =
      policy.wall + more_so_far - std::chrono::nanoseconds(computed) / proc::cores_of(thread);
  const auto all = std::min({waited, most, others});
  starved = all >= most && computed < policy.wall;
  const auto more = all - more_so_far;
  if (more < kLeast) return {};
  more_so_far += more;
  return more;
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
  report.process += use_in(usage);
}

void SandboxedProcess::State::show_policys_paths(ProcessReport& process) const {
  for (auto* text : {&process.standard_output, &process.standard_error})
    *text = paths.to_policy(std::move(*text));
}

/// The orphans' resource use in a process group.
void SandboxedProcess::State::add_orphans(ProcessReport& process) const { process += group.use(); }

/// bubblewrap leaves without waiting for its init, so wait4 sees little of the tree's time.
/// Parts of the run have their own reports.
void SandboxedProcess::State::account(SandboxReport& report) {
  ProcessReport& process = report.process;
  report.peak_memory_bytes = process.peak_memory_bytes;
  if (cgroup) {
    const CgroupUse use = cgroup->use();
    report.peak_memory_bytes = use.peak_memory_bytes;
    report.memory_limit_hit = use.memory_limit_hit;
    report.process_limit_hit = use.process_limit_hit;
    process.user = std::max(process.user, use.user);
    process.system = std::max(process.system, use.system);
  }
  const auto take_off = [](auto& value, const auto& part) {
    value = std::max(value - part, std::decay_t<decltype(value)>{});
  };
  take_off(process.user, reported.user);
  take_off(process.system, reported.system);
  take_off(process.voluntary_switches, reported.voluntary_switches);
  take_off(process.involuntary_switches, reported.involuntary_switches);
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
  const StopReport stop = stop_all(state_->policy.stopping);
  if (stop.stopped) return stop;
  state_->unstoppable = true;
  state_->child->stop();
  return stop;
}

bool SandboxedProcess::try_freeze(std::chrono::milliseconds longest) {
  const bool stopped = stop_all(longest).stopped;
  if (!stopped) thaw();
  return stopped;
}

StopReport SandboxedProcess::stop_all(std::chrono::milliseconds longest) {
  // A process that waits long in the kernel where no signal reaches it, as a parent in vfork,
  // cannot come back without stopping. Most such waits are short and better waited out.
  constexpr int kPatience = 50;
  // Threads stop some us after the signal. Asking about each costs some, too.
  constexpr std::chrono::microseconds kShortWait{200};
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  state_->stopped_at = {};
  // Until then a process without its stop signal could run.
  auto told = begin;
  const bool at_once = state_->stop_at_once();
  if (at_once) told = Clock::now();
  // A held process forks no more, so the first list has them all.
  if (at_once && state_->cgroup) state_->cgroup->is_frozen();
  // Again from the start while new members appear: a fork may have been under way. A process that
  // appears may have forked before its stop. So two lists in a row must hold no new one, with all
  // before them stopped. The last look is at every member.
  bool quiet = false;
  std::set<int> known, settled;
  for (int round = 0; Clock::now() < begin + longest; ++round) {
    const auto pids = state_->members();
    // All at once, before any check: the last of many would run meanwhile.
    bool another = false;
    for (const int pid : pids) {
      if (!known.insert(pid).second) continue;
      ::kill(pid, SIGSTOP);
      another = true;
    }
    const auto now = Clock::now();
    if (another && !(at_once && round == 0)) told = now;
    if (round == 0 && state_->cgroup) state_->cgroup->thaw();
    const bool last = quiet && !another;
    bool all = true;
    int alive = 0;
    for (const int pid : pids) {
      if (!last && settled.contains(pid)) continue;
      std::string threads;
      const auto is_settled = [&] {
        threads = proc::thread_states(pid);
        return std::ranges::all_of(threads, [&](char state) {
          return state == 'T' || state == 't' || (state == 'D' && round > kPatience);
        });
      };
      while (all && !is_settled()) all = Clock::now() < now + kShortWait;
      if (!all) break;
      settled.insert(pid);
      if (!threads.empty()) ++alive;
    }
    if (all && last) {
      const int own = state_->namespaces ? 1 : 0;  // bubblewrap's init
      state_->stopped = pids;
      state_->stopped_at = Clock::now();
      state_->child->pause_clock();
      return {true, std::max(alive - own, 0), told - begin};
    }
    quiet = all && !another;
    if (all) continue;
    settled.clear();
    for (const int pid : pids) ::kill(pid, SIGSTOP);
    if (round > 2) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (state_->cgroup) state_->cgroup->thaw();
  return {false, 0, Clock::now() - begin};
}

std::chrono::steady_clock::time_point SandboxedProcess::thaw() {
  // Stopped processes start no others. Later on, the number of a killed one may be another's.
  constexpr std::chrono::seconds kSurely{1};
  state_->child->resume_clock();
  const bool same = std::chrono::steady_clock::now() - state_->stopped_at < kSurely;
  const auto pids = same ? std::exchange(state_->stopped, {}) : state_->members();
  const auto first = std::chrono::steady_clock::now();
  for (const int pid : pids) ::kill(pid, SIGCONT);
  return first;
}

std::int64_t SandboxedProcess::private_memory() const {
  std::int64_t bytes = 0;
  for (const int pid : state_->members()) bytes += proc::private_memory_of(pid);
  return bytes;
}

std::vector<proc::CodePosition> SandboxedProcess::code_positions() const {
  std::vector<proc::CodePosition> all;
  for (const int pid : state_->members()) {
    const auto own = proc::code_positions(pid);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void SandboxedProcess::pause_clock() { state_->child->pause_clock(); }
void SandboxedProcess::resume_clock() { state_->child->resume_clock(); }
std::chrono::nanoseconds SandboxedProcess::time_left() const { return state_->child->time_left(); }

void SandboxedProcess::restart_clock(std::chrono::milliseconds wall) {
  {
    const std::scoped_lock lock(state_->waiting);
    state_->before = state_->core_time(state_->child->pid());
    state_->more_so_far = {};
    state_->computed = {};
    state_->starved = false;
  }
  state_->child->restart_clock(wall);
}

SandboxReport SandboxedProcess::part() {
  SandboxReport report;
  report.process = state_->child->part();
  for (const int pid : state_->members()) report.process += proc::use_of(pid);
  state_->show_policys_paths(report.process);
  state_->account(report);
  state_->reported += {.user = report.process.user,
                       .system = report.process.system,
                       .voluntary_switches = report.process.voluntary_switches,
                       .involuntary_switches = report.process.involuntary_switches};
  return report;
}

void SandboxedProcess::await_end(std::chrono::milliseconds longest) const {
  state_->child->await_end(longest);
}

void SandboxedProcess::stop() { state_->child->stop(); }

SandboxReport SandboxedProcess::finish() {
  SandboxReport report;
  state_->finished = true;
  report.process = state_->child->finish();
  state_->reap_init(report);
  state_->add_orphans(report.process);
  state_->show_policys_paths(report.process);
  state_->account(report);
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
  report.limit = limit_reached(state_->policy, report, state_->unstoppable);
  report.process.elapsed -= std::min(state_->more_so_far, report.process.elapsed);
  // Of a killed init's children nothing else is known.
  report.process.user = std::max(report.process.user, state_->computed - report.process.system);
  if (state_->starved && report.limit && report.limit->kind == Limit::Kind::wall_time) {
    throw Error(
        fmt::format("the machine is too busy: a run that may take {:g} s waited {} times as "
                    "long for a core",
                    std::chrono::duration<double>(state_->policy.wall).count(), kMostWaiting),
        "end what else runs here, or grade with fewer jobs (-j)");
  }
  report.started = state_->started(report.process);
  // No process inside can signal bubblewrap's own, which reports theirs by an exit code.
  if (const auto* const killed = std::get_if<Signalled>(&report.process.end);
      killed != nullptr && state_->info && !report.limit) {
    throw Error(fmt::format("the sandbox was killed from outside by signal {}", killed->number),
                "read `dmesg`: the machine may have run out of memory; grade again");
  }
  return report;
}

}  // namespace opgrade
