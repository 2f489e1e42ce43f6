#include "grader/platform/sandbox/sandbox.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/base/core/pipe.hpp"
#include "grader/base/core/temp_dir.hpp"
#include "grader/platform/sandbox/bubblewrap.hpp"
#include "grader/platform/sandbox/cgroup.hpp"
#include "grader/platform/sandbox/landlock.hpp"
#include "grader/platform/sandbox/outside_waits.hpp"
#include "grader/platform/sandbox/path_mapping.hpp"
#include "grader/platform/sandbox/proc.hpp"
#include "grader/platform/sandbox/process_group.hpp"
#include "grader/platform/sandbox/sandbox_limits.hpp"
#include "grader/platform/sandbox/seccomp.hpp"

namespace opgrade {

namespace fs = std::filesystem;

namespace {

constexpr unsigned kNobody = 65534;
/// Time between two checks of a run on a busy machine: see OutsideWaits.
constexpr std::chrono::milliseconds kBetweenLooksAtRun{100};
/// How long bubblewrap may take until it waits for its limits. Usually some ms.
constexpr std::chrono::milliseconds kLongestSetUp{60'000};
/// bubblewrap outside, which only waits, and its init inside.
constexpr int kOwnProcesses = 2;

}  // namespace

/// A sandboxed run: its members, its control group, its end.
struct SandboxedProcess::State {
  SandboxPolicy policy;
  std::unique_ptr<Cgroup> cgroup;  // null without control groups
  ProcessGroup group;              // used if there is no PID namespace
  bool namespaces = true;
  std::optional<TempDir> scratch;  // stands for /tmp if there are no mounts
  PathMapping paths;
  Fd gate;             // bubblewrap waits until this is closed
  Fd info;             // bubblewrap writes here the number of its init, and how the program ended
  std::mutex telling;  // guards `told` and `init`: the watching thread of the process reads, too
  std::string told;    // what bubblewrap wrote to `info` so far
  std::optional<ChildProcess> child;
  std::atomic<pid_t> init = 0;  // 0 while unknown
  std::vector<int> stopped;     // processes that the last freeze stopped
  std::chrono::steady_clock::time_point stopped_at{};
  ResourceUse reported;  // use that was already reported in parts of the run
  std::mutex waiting;
  OutsideWaits outside_waits;  // on the run's clock
  SignsOfLife signs_of_life;   // since it was killed
  bool finished = false;
  bool unstoppable = false;                 // a process did not stop between calls
  bool stuck = false;                       // a killed process did not end
  std::optional<std::uint64_t> users_most;  // processes, if they are counted by user
  unsigned user = 0;                        // the user whose processes are counted

  /// Tells all members to stop with one call, if there is such a call.
  bool stop_at_once() const {
    return namespaces ? cgroup && cgroup->freeze() : ProcessGroup::stop(child->pid());
  }

  std::vector<int> members() const { return members_of(child->pid()); }
  std::vector<int> members_of(pid_t outer) const {
    if (!namespaces) return ProcessGroup::members(outer);
    auto pids = cgroup ? cgroup->processes() : proc::descendants(outer);
    std::erase(pids, outer);  // bubblewrap's own process outside, which only waits
    return pids;
  }

  /// Includes bubblewrap's own process, because until the program begins only that one waits for a
  /// core.
  CoreLook look_at(std::vector<int> pids) const {
    CoreLook look;
    const ResourceUse& dead = group.use();
    look.computed = dead.user + dead.system;
    const auto idle = proc::idle_times();
    std::optional<std::vector<int>> cores;
    for (const int pid : pids) {
      look.computed += proc::computed_by(pid);
      proc::add_core_waits(pid, look.waits);
      for (const pid_t thread : proc::ready_threads(pid)) {
        ++look.ready;
        auto own = proc::cores_of(thread);
        if (!cores || own.size() < cores->size()) cores = std::move(own);
      }
    }
    if (!cores && !pids.empty()) cores = proc::cores_of(pids.front());
    for (const int core : cores.value_or(std::vector<int>()))
      if (const auto found = idle.find(core); found != idle.end()) look.idle.insert(*found);
    if (cgroup) {
      const CgroupUse use = cgroup->use();
      look.computed = std::max(look.computed, use.user + use.system);
    }
    return look;
  }
  CoreLook look(pid_t outer) const {
    auto pids = members_of(outer);
    // Without namespaces the outer process is the program, which is then a member already.
    if (std::ranges::find(pids, outer) == pids.end()) pids.push_back(outer);
    return look_at(std::move(pids));
  }

  /// Returns the time that a busy machine took from the run.
  std::chrono::nanoseconds add_outside_waits(pid_t outer, std::chrono::nanoseconds since) {
    const std::scoped_lock lock(waiting);
    return outside_waits.add(look(outer), since);
  }

  bool shows_life(const CoreLook& look) {
    const std::scoped_lock lock(waiting);
    return signs_of_life.seen(look);
  }

  /// Polls `done`. Returns false if the killed processes that are left show no sign of life for as
  /// long as a death may take: they are stuck in the kernel.
  bool wait_for_death(const std::function<std::vector<int>()>& left,
                      const std::function<bool()>& done) {
    auto deadline = std::chrono::steady_clock::now() + policy.dying;
    for (auto pause = std::chrono::microseconds(50); !done();
         pause = std::min(2 * pause, std::chrono::microseconds(10'000))) {
      if (std::chrono::steady_clock::now() > deadline) {
        if (!shows_life(look_at(left()))) return false;
        deadline = std::chrono::steady_clock::now() + policy.dying;
      }
      std::this_thread::sleep_for(pause);
    }
    return true;
  }

  /// Returns false if nothing more will be written to `info`.
  bool find_init() {
    if (init != 0 || !info) return false;
    pollfd ready{info.get(), POLLIN, 0};
    ::poll(&ready, 1, 1000);  // before the lock, so that no thread keeps the other waiting
    const std::scoped_lock lock(telling);
    if (init != 0) return false;
    const bool open = listen(0);
    constexpr std::string_view kKey = "\"child-pid\": ";
    const auto at = told.find(kKey);
    if (at != told.npos) init = std::atoi(told.c_str() + at + kKey.size());
    return open;
  }

  /// From Linux 5.14 on, each user namespace counts its own processes. A limit that its first
  /// process gets after the namespace was made applies inside only, so no neighbour uses it up.
  void limit_and_begin(bool as_nobody) {
    while (init == 0 && find_init()) {
    }
    if (init == 0) return;  // bubblewrap has ended, by itself or at its limit of wall time
    const auto most = static_cast<std::uint64_t>(policy.processes + kOwnProcesses);
    if (!proc::limit_processes(init, most, as_nobody ? kNobody : ::geteuid())) {
      throw Error(fmt::format("cannot limit the processes of a sandbox: {}", std::strerror(errno)),
                  "run `opgrade doctor`");
    }
    forget_waits();
    gate.reset();
    child->restart_clock(policy.wall);
  }

  /// Called when the run's clock is restarted.
  void forget_waits() {
    const std::scoped_lock lock(waiting);
    outside_waits.restart(look(child->pid()));
  }

  /// Called before bubblewrap's own process is killed, because an init that has not yet asked to
  /// die with its parent would survive.
  void kill_init() {
    find_init();
    if (init > 0 && proc::parent_of(proc::parent_of(init)) == ::getpid()) ::kill(init, SIGKILL);
  }

  /// bubblewrap ends without waiting for its init, so its resource use lacks that of the run. The
  /// init became our child (we are a subreaper); it ends when nothing of its namespace is left.
  void reap_init(SandboxReport& report) {
    find_init();
    // Checks first that init is still our child, because otherwise its number may belong to any
    // process.
    siginfo_t known{};
    if (init <= 0 ||
        ::waitid(P_PID, static_cast<id_t>(init), &known, WEXITED | WNOHANG | WNOWAIT) != 0)
      return;
    ::kill(init, SIGKILL);
    rusage usage{};
    const auto left = [&] {
      auto pids = cgroup ? cgroup->processes() : proc::descendants(init);
      pids.push_back(init);
      return pids;
    };
    const bool ended = wait_for_death(left, [&] {
      const pid_t waited = ::wait4(init, nullptr, WNOHANG, &usage);
      return waited == init || (waited < 0 && errno != EINTR);
    });
    stuck = !ended;
    if (stuck) return;
    report.process += use_in(usage);
  }

  void show_policys_paths(ProcessReport& process) const {
    for (auto* text : {&process.standard_output, &process.standard_error})
      *text = paths.to_policy(std::move(*text));
  }

  /// bubblewrap exits without waiting for its init, so wait4 sees little of the tree's time.
  /// Subtracts what parts of the run have already reported.
  void account(SandboxReport& report) {
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

  /// Returns false if bubblewrap has closed `info`.
  bool listen(int milliseconds) {
    std::array<char, 200> part;
    pollfd ready{info.get(), POLLIN, 0};
    for (; info && ::poll(&ready, 1, milliseconds) == 1; milliseconds = 0) {
      const ssize_t n = ::read(info.get(), part.data(), part.size());
      if (n <= 0) return false;
      told.append(part.data(), static_cast<std::size_t>(n));
    }
    return true;
  }

  /// True if the program began, because only then bubblewrap reports how it ended. bubblewrap's
  /// text on stderr would be no evidence: a compiler prints what a source asks it to.
  bool started(const ProcessReport& process) {
    if (!namespaces || !std::holds_alternative<Exited>(process.end)) return true;
    const std::scoped_lock lock(telling);
    listen(0);
    return told.find("\"exit-code\"") != told.npos;
  }
};

SandboxedProcess::SandboxedProcess(std::unique_ptr<State> state) : state_(std::move(state)) {}
SandboxedProcess::SandboxedProcess(SandboxedProcess&&) noexcept = default;
SandboxedProcess::~SandboxedProcess() {
  if (!state_ || !state_->child || state_->finished) return;
  state_->child.reset();
  SandboxReport unread;
  state_->reap_init(unread);
}

StopReport SandboxedProcess::freeze() {
  const StopReport stop = stop_all(state_->policy.stopping, true);
  if (stop.stopped) return stop;
  state_->unstoppable = true;
  state_->child->stop();
  return stop;
}

bool SandboxedProcess::try_freeze(std::chrono::milliseconds longest) {
  const bool stopped = stop_all(longest, false).stopped;
  if (!stopped) thaw();
  return stopped;
}

StopReport SandboxedProcess::stop_all(std::chrono::milliseconds longest, bool fair) {
  // A process that waits long in the kernel and that no signal reaches, such as a parent in vfork,
  // cannot return without stopping. Most such waits are short, so they are waited out first.
  constexpr int kPatience = 50;
  // Threads stop some us after the signal, and each query costs some us, too.
  constexpr std::chrono::microseconds kShortWait{200};
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  // Processes that do not stop at once are checked from time to time: only their own time from then
  // on counts.
  constexpr std::chrono::milliseconds kBetweenLooksAtStop{20};
  TimeSeen seen;
  Clock::time_point looked = begin;
  const auto is_over = [&] {
    const auto now = Clock::now();
    if (!fair) return now >= begin + longest;
    if (now - looked >= kBetweenLooksAtStop) {
      seen.add(state_->look(state_->child->pid()), now - looked);
      looked = now;
    }
    return seen.total() >= longest;
  };
  state_->stopped_at = {};
  // The time until which a process without its stop signal could run.
  auto told = begin;
  const bool at_once = state_->stop_at_once();
  if (at_once) told = Clock::now();
  // A frozen process cannot fork, so the first list has all processes.
  if (at_once && state_->cgroup) state_->cgroup->is_frozen();
  // Starts over while new members appear, because a fork may have been under way, and a new process
  // may have forked before its stop. So two lists in a row must hold no new process, with all
  // earlier ones stopped. The last round checks every member.
  bool quiet = false, over = !fair && is_over();
  std::set<int> known, settled;
  for (int round = 0; quiet || !over; ++round) {
    // Checked before the members are, because the grader itself may have waited for a core while
    // they stopped.
    over = is_over();
    const auto pids = state_->members();
    // Signals all of them before any check, because otherwise the last of many would run meanwhile.
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
  // Stopped processes start no others, so the list is still right. After a while the number of a
  // killed process may belong to another.
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
  state_->forget_waits();
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
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::milliseconds kBetweenLooksAtEnd{50};
  const pid_t outer = state_->child->pid();
  auto looked = Clock::now();
  TimeSeen seen;
  do {
    const auto now = Clock::now();
    seen.add(state_->look(outer), now - looked);
    looked = now;
  } while (seen.total() <= longest && !state_->child->await_end(kBetweenLooksAtEnd));
}

void SandboxedProcess::stop() { state_->child->stop(); }

SandboxReport SandboxedProcess::finish() {
  SandboxReport report;
  state_->finished = true;
  report.process = state_->child->finish();
  // Counted right now, because other programs may not hold their processes for long. The run's own
  // few have ended.
  constexpr std::uint64_t kOwnFew = 16;
  report.processes_short = state_->users_most && !report.process.succeeded() &&
                           proc::threads_of(state_->user) + kOwnFew >= *state_->users_most;
  state_->reap_init(report);
  report.process += state_->group.use();  // orphans in a process group
  state_->show_policys_paths(report.process);
  state_->account(report);
  const auto left = [&] {
    return state_->cgroup ? state_->cgroup->processes() : state_->members_of(state_->child->pid());
  };
  const bool gone = !state_->stuck && state_->wait_for_death(left, [&] {
    if (state_->cgroup) {
      state_->cgroup->kill();
      return state_->cgroup->processes().empty();
    }
    if (state_->namespaces || state_->members().empty()) return true;
    state_->group.end(state_->child->pid());
    return false;
  });
  if (!gone) {
    throw Error("processes of a finished run are still alive after SIGKILL",
                "a process is stuck in the kernel: see `dmesg`, and reboot before grading again");
  }
  report.limit = limit_reached(state_->policy, report, state_->unstoppable);
  report.process.elapsed -= std::min(state_->outside_waits.total(), report.process.elapsed);
  // The only known time of the children of a killed init.
  const auto computed = state_->outside_waits.computed() - state_->reported.user -
                        state_->reported.system - report.process.system;
  report.process.user = std::max(report.process.user, computed);
  report.started = report.limit || state_->started(report.process);
  // No process inside can signal bubblewrap's own process, which reports the program's signals as
  // exit codes.
  if (const auto* const killed = std::get_if<Signalled>(&report.process.end);
      killed != nullptr && state_->info && !report.limit) {
    throw Error(fmt::format("the sandbox was killed from outside by signal {}", killed->number),
                "read `dmesg`: the machine may have run out of memory; grade again");
  }
  return report;
}

bool refused_a_process(const SandboxReport& report) {
  return report.process.standard_error.find(std::strerror(EAGAIN)) != std::string::npos;
}

bool StartPatience::again() {
  constexpr std::chrono::milliseconds kLongestPause{500};
  if (std::chrono::steady_clock::now() >= give_up_) return false;
  std::this_thread::sleep_for(pause_);
  pause_ = std::min(2 * pause_, kLongestPause);
  return true;
}

Sandbox::Sandbox(SandboxSupport support) : support_(std::move(support)) {}

SandboxedProcess Sandbox::start(const SandboxPolicy& policy, const std::vector<std::string>& argv,
                                const std::vector<PassedFd>& descriptors) const {
  auto state = std::make_unique<SandboxedProcess::State>();
  state->policy = policy;
  auto& mounts = state->policy.mounts;
  std::erase_if(mounts, [](const Mount& m) { return m.optional && !fs::exists(m.host); });

  Command command;
  command.descriptors = descriptors;
  Fd filter, info, gate;
  state->namespaces = support_.tier < SandboxTier::no_userns;
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const bool has_cgroup = support_.tier == SandboxTier::full;
  const bool counted_apart = !has_cgroup && state->namespaces && support_.counts_in_namespace;
  command.drop_to_nobody = support_.drop_to_nobody;
  command.niceness = policy.niceness;
  command.cores = policy.cores;
  const bool pinned = !policy.cores.empty();
  Fd rules;
  std::vector<sock_filter> strict;
  if (!state->namespaces) {
    state->scratch.emplace("opgrade-scratch-");
    hand_over(state->scratch->path());
    state->paths = PathMapping(mounts, state->scratch->path());
    command.program = state->paths.to_host(argv.at(0));
    for (std::size_t i = 1; i < argv.size(); ++i)
      command.arguments.push_back(state->paths.to_host(argv[i]));
    for (const auto& variable : policy.environment)
      command.environment.push_back(state->paths.to_host(variable));
    command.working_folder = state->paths.to_host(policy.working_folder);
    // The tier without isolation, reached only with --unsafe, has neither.
    if (support_.tier == SandboxTier::no_userns) {
      rules = landlock_rules(state->policy, state->scratch->path());
      strict = shared_host_filter(support_.landlock < kLandlockScopes, has_devices(policy), pinned);
      command.confine = [&rules, &strict] { return confine_self(rules.get(), strict); };
    }
  } else {
    filter = seccomp_filter(state->policy.loopback, pinned);
    int seccomp_fd = 3;
    for (const PassedFd& passed : descriptors) seccomp_fd = std::max(seccomp_fd, passed.as + 1);
    command.descriptors.push_back({filter.get(), seccomp_fd});
    command.program = support_.bubblewrap;
    command.arguments = bubblewrap_arguments(state->policy, seccomp_fd);
    Pipe telling = make_pipe();
    state->info = std::move(telling.read);
    info = std::move(telling.write);
    command.descriptors.push_back({info.get(), seccomp_fd + 1});
    command.arguments.insert(command.arguments.end(),
                             {"--json-status-fd", std::to_string(seccomp_fd + 1)});
    if (counted_apart) {
      Pipe waiting = make_pipe();
      gate = std::move(waiting.read);
      state->gate = std::move(waiting.write);
      command.descriptors.push_back({gate.get(), seccomp_fd + 2});
      command.arguments.insert(command.arguments.end(),
                               {"--block-fd", std::to_string(seccomp_fd + 2)});
    }
    command.arguments.push_back("--");
    command.arguments.insert(command.arguments.end(), argv.begin(), argv.end());
  }
  std::function<void(pid_t)> kill_tree;
  if (has_cgroup) {
    state->cgroup =
        std::make_unique<Cgroup>(support_.cgroup, policy.memory_bytes + policy.watcher_bytes,
                                 policy.processes + kOwnProcesses);
    command.join_files = state->cgroup->join_files();
    kill_tree = [group = state->cgroup.get()](pid_t) { group->kill(); };
  } else if (state->namespaces) {
    kill_tree = [run = state.get()](pid_t) { run->kill_init(); };
  } else {
    kill_tree = [run = state.get()](pid_t child) { run->group.end(child); };
  }
  WatchLimits watch{.wall = policy.wall,
                    .output_bytes = policy.output_bytes,
                    .kept_bytes = policy.kept_output_bytes,
                    .death = policy.dying};
  watch.outside_waits = [run = state.get()](pid_t outer, std::chrono::nanoseconds since) {
    return run->add_outside_waits(outer, since);
  };
  // Until the gate opens, nothing of the submission runs, and bubblewrap waits for the grader,
  // which may itself wait for a core.
  if (counted_apart) watch.wall = std::max(policy.wall, kLongestSetUp);
  watch.still_ends = [run = state.get()](pid_t outer) { return run->shows_life(run->look(outer)); };
  // The first part of the limit has no looks, because most timed calls end in it.
  watch.looks = {.from = policy.timed ? policy.wall / 4 : std::chrono::milliseconds(),
                 .every = std::min<std::chrono::milliseconds>(policy.wall / 4, kBetweenLooksAtRun)};
  state->user = command.drop_to_nobody ? kNobody : ::getuid();
  for (StartPatience patience(policy); !state->child;) {
    auto& users_most = state->users_most;
    if (!has_cgroup && !counted_apart) {
      // RLIMIT_NPROC also counts what its user runs outside the sandbox, which changes.
      const int each = policy.processes + (state->namespaces ? kOwnProcesses : 0);
      users_most =
          static_cast<std::uint64_t>(each) * support_.parallel_runs + proc::threads_of(state->user);
    }
    command.limits = resource_limits(policy, has_cgroup, users_most);
    try {
      state->child.emplace(ChildProcess::start(command, watch, kill_tree));
    } catch (const NoMoreProcesses&) {
      if (!patience.again()) throw;
    }
  }
  // Closes the grader's copies, because a pipe ends only if no process holds its other end.
  info.reset();
  gate.reset();
  if (counted_apart) state->limit_and_begin(command.drop_to_nobody);
  return SandboxedProcess(std::move(state));
}

void Sandbox::hand_over(const fs::path& folder) const {
  if (!support_.drop_to_nobody) return;
  const auto give = [](const fs::path& path) {
    if (::lchown(path.c_str(), kNobody, kNobody) != 0) {
      throw Error(fmt::format("cannot give {} to the sandbox's user", path.string()),
                  "run `opgrade doctor`");
    }
  };
  give(folder);
  for (const auto& entry : fs::recursive_directory_iterator(folder)) give(entry.path());
}

SandboxReport Sandbox::run(const SandboxPolicy& policy,
                           const std::vector<std::string>& argv) const {
  for (StartPatience patience(policy);;) {
    SandboxReport report = start(policy, argv).finish();
    if (report.started || !refused_a_process(report) || !patience.again()) return report;
  }
}

}  // namespace opgrade
