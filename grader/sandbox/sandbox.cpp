#include "grader/sandbox/sandbox.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

#include "grader/core/error.hpp"
#include "grader/core/pipe.hpp"
#include "grader/sandbox/bubblewrap.hpp"
#include "grader/sandbox/landlock.hpp"
#include "grader/sandbox/sandbox_limits.hpp"
#include "grader/sandbox/sandboxed_process.hpp"
#include "grader/sandbox/seccomp.hpp"

namespace opgrade {

namespace fs = std::filesystem;

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
  const WatchLimits watch{policy.wall, policy.output_bytes, policy.kept_output_bytes, kLongestDeath,
                          [run = state.get()](pid_t outer) { return run->more_wall(outer); }};
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
