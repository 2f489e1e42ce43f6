#include "grader/sandbox/sandbox.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "grader/core/error.hpp"
#include "grader/core/pipe.hpp"
#include "grader/core/temp_dir.hpp"
#include "grader/sandbox/bubblewrap.hpp"
#include "grader/sandbox/host_view.hpp"
#include "grader/sandbox/landlock.hpp"
#include "grader/sandbox/proc.hpp"
#include "grader/sandbox/process_group.hpp"
#include "grader/sandbox/seccomp.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kNobody = 65534;
/// The kernel frees what a killed process holds before the process is gone: the page tables of some
/// terabytes take half a minute.
constexpr std::chrono::seconds kLongestDeath{120};
/// bubblewrap outside, which waits, and its init inside.
constexpr int kOwnProcesses = 2;

/// `users_most`: the limit on all processes of the sandbox's user, where they are counted together.
std::vector<ResourceLimit> resource_limits(const SandboxPolicy& policy, bool has_cgroup,
                                           std::optional<std::uint64_t> users_most) {
  std::vector<ResourceLimit> limits{
      {RLIMIT_CORE, 0},
      // The soft limit is a signal of its own; the hard one, a SIGKILL, could come from anybody.
      {RLIMIT_CPU, static_cast<std::uint64_t>(policy.cpu.count()), 1},
      {RLIMIT_FSIZE, static_cast<std::uint64_t>(policy.file_bytes)},
      {RLIMIT_NOFILE, static_cast<std::uint64_t>(policy.open_files)},
      {RLIMIT_STACK, static_cast<std::uint64_t>(policy.stack_bytes)},
  };
  if (!has_cgroup) {
    // RLIMIT_DATA counts private writable memory (Linux 4.7), not the shared tensors; RLIMIT_AS
    // would count those too and breaks CUDA's address reservations.
    limits.push_back({RLIMIT_DATA, static_cast<std::uint64_t>(policy.memory_bytes)});
  }
  if (users_most) limits.push_back({RLIMIT_NPROC, *users_most});
  return limits;
}

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

std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes >= 1 << 30) return fmt::format("{:.3g} GiB", static_cast<double>(bytes) / (1 << 30));
  if (bytes >= 1 << 20) return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{:.3g} KiB", static_cast<double>(bytes) / 1024);
}

std::string limit_in_words(const SandboxPolicy& policy, const SandboxReport& report,
                           bool unstoppable) {
  if (unstoppable) return std::string(kStoppingLimit) + seconds_text(policy.stopping);
  if (const auto* stopped = std::get_if<Stopped>(&report.process.end)) {
    if (stopped->why == Stopped::Why::wall_time) return "wall time " + seconds_text(policy.wall);
    if (stopped->why == Stopped::Why::output) return "output " + bytes_text(policy.output_bytes);
  }
  if (report.memory_limit_hit) return "memory " + bytes_text(policy.memory_bytes);
  const auto* exited = std::get_if<Exited>(&report.process.end);
  const auto* signalled = std::get_if<Signalled>(&report.process.end);
  // bubblewrap passes a signal of its child on as exit code 128 + signal.
  const int signal = signalled                      ? signalled->number
                     : exited && exited->code > 128 ? exited->code - 128
                                                    : 0;
  const auto cpu = report.process.user + report.process.system;
  if (signal == SIGXCPU || (signal == SIGKILL && cpu >= policy.cpu)) {
    return "CPU time " + seconds_text(policy.cpu);
  }
  if (signal == SIGXFSZ) return "file size " + bytes_text(policy.file_bytes);
  if (report.process_limit_hit) return fmt::format("threads and processes {}", policy.processes);
  return {};
}

}  // namespace

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

struct SandboxedProcess::State {
  SandboxPolicy policy;
  std::unique_ptr<Cgroup> cgroup;  // null without control groups
  ProcessGroup group;              // used where there is no PID namespace
  bool namespaces = true;
  std::optional<TempDir> scratch;  // stands for /tmp where there are no mounts
  HostView view;
  Fd gate;  // bubblewrap waits until it is closed
  Fd info;  // bubblewrap writes here which process its init is, and how the program ended
  std::mutex telling;  // the watcher of the process listens, too
  std::string told;    // through it
  std::optional<ChildProcess> child;
  std::atomic<pid_t> init = 0;  // 0 while unknown
  bool finished = false;
  bool unstoppable = false;  // a process did not stop between calls
  bool stuck = false;        // a killed process did not end

  /// Tells all members to stop with one call, where there is one for that.
  bool stop_at_once() const;

  std::vector<int> members() const {
    if (!namespaces) return ProcessGroup::members(child->pid());
    auto pids = cgroup ? cgroup->processes() : proc::descendants(child->pid());
    std::erase(pids, child->pid());  // bubblewrap's own process outside, which only waits
    return pids;
  }

  bool find_init();
  void limit_and_begin(bool as_nobody);
  void kill_init();
  void reap_init(SandboxReport& report);
  void add_orphans(ProcessReport& process) const;
  bool listen(int milliseconds);
  bool started(const ProcessReport& process);
};

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

void SandboxedProcess::stop() { state_->child->stop(); }

SandboxReport SandboxedProcess::finish() {
  SandboxReport report;
  state_->finished = true;
  report.process = state_->child->finish();
  state_->reap_init(report);
  state_->add_orphans(report.process);
  for (auto* text : {&report.process.standard_output, &report.process.standard_error})
    *text = state_->view.to_policy(std::move(*text));
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
  Fd rules;
  std::vector<sock_filter> strict;
  if (!state->namespaces) {
    state->scratch.emplace("opgrade-scratch-");
    hand_over(state->scratch->path());
    state->view = HostView(mounts, state->scratch->path());
    command.program = state->view.to_host(argv.at(0));
    for (std::size_t i = 1; i < argv.size(); ++i)
      command.arguments.push_back(state->view.to_host(argv[i]));
    for (const auto& variable : policy.environment)
      command.environment.push_back(state->view.to_host(variable));
    command.working_folder = state->view.to_host(policy.working_folder);
    // Without either, reached only with --unsafe.
    if (support_.tier == SandboxTier::no_userns) {
      rules = landlock_rules(state->policy, state->scratch->path());
      strict = shared_host_filter(support_.landlock < kLandlockScopes, has_devices(policy));
      command.confine = [&rules, &strict] { return confine_self(rules.get(), strict); };
    }
  } else {
    filter = seccomp_filter();
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
  const WatchLimits watch{policy.wall, policy.output_bytes, policy.kept_output_bytes,
                          kLongestDeath};
  for (StartPatience patience(policy); !state->child;) {
    std::optional<std::uint64_t> users_most;
    if (!has_cgroup && !counted_apart) {
      // RLIMIT_NPROC counts what its user runs outside the sandbox as well; that changes.
      const int each = policy.processes + (state->namespaces ? kOwnProcesses : 0);
      users_most = static_cast<std::uint64_t>(each) * support_.parallel_runs +
                   proc::threads_of(command.drop_to_nobody ? kNobody : ::getuid());
    }
    command.limits = resource_limits(policy, has_cgroup, users_most);
    try {
      state->child.emplace(ChildProcess::start(command, watch, kill_tree));
    } catch (const NoMoreProcesses&) {
      if (!patience.again()) throw;
    }
  }
  // The grader's copies: a pipe ends only when no process holds its other end.
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
