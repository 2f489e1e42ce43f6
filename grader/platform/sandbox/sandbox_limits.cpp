#include "grader/platform/sandbox/sandbox_limits.hpp"

#include <signal.h>
#include <sys/resource.h>

#include <chrono>

namespace opgrade {
namespace {

/// The kernel's first one; SIGRTMIN is the C library's first, after two that it uses itself.
constexpr int kFirstRealTimeSignal = 32;

}  // namespace

std::vector<ResourceLimit> resource_limits(const SandboxPolicy& policy, bool has_cgroup,
                                           std::optional<std::uint64_t> users_most) {
  std::vector<ResourceLimit> limits{
      {RLIMIT_CORE, 0},
      // The soft limit sends SIGXCPU, which identifies it; the hard limit sends SIGKILL, which
      // could come from anybody.
      {RLIMIT_CPU, static_cast<std::uint64_t>(policy.cpu.count()), 1},
      {RLIMIT_FSIZE, static_cast<std::uint64_t>(policy.file_bytes)},
      {RLIMIT_NOFILE, static_cast<std::uint64_t>(policy.open_files)},
      {RLIMIT_STACK, static_cast<std::uint64_t>(policy.stack_bytes)},
  };
  if (!has_cgroup) {
    // RLIMIT_DATA counts private writable memory (Linux 4.7), but not the shared tensors. RLIMIT_AS
    // would count those, too, and breaks CUDA's address reservations.
    const auto most = static_cast<std::uint64_t>(policy.memory_bytes + policy.reserved_bytes);
    limits.push_back({RLIMIT_DATA, most});
  }
  if (users_most) limits.push_back({RLIMIT_NPROC, *users_most});
  return limits;
}

int SandboxReport::signal() const {
  if (const auto* signalled = std::get_if<Signalled>(&process.end)) return signalled->number;
  // bubblewrap reports the end of its child as shells do: a code above 128 is a signal, unless no
  // signal of that number ends a process by itself. `exit(700)` after an illegal address ends with
  // 188.
  constexpr int kShell = 128;
  const auto* const exited = std::get_if<Exited>(&process.end);
  if (exited == nullptr || exited->code <= kShell) return 0;
  const int number = exited->code - kShell;
  return number < kFirstRealTimeSignal && number != SIGSTKFLT ? number : 0;
}

std::optional<Limit> limit_reached(const SandboxPolicy& policy, const SandboxReport& report,
                                   bool unstoppable) {
  const auto limit = [](Limit::Kind kind, auto value) {
    return Limit{kind, static_cast<double>(value)};
  };
  const auto seconds = [](auto time) { return std::chrono::duration<double>(time).count(); };
  if (unstoppable) return limit(Limit::Kind::stopping_time, seconds(policy.stopping));
  if (const auto* stopped = std::get_if<Stopped>(&report.process.end)) {
    if (stopped->why == Stopped::Why::wall_time)
      return limit(Limit::Kind::wall_time, seconds(policy.wall));
    if (stopped->why == Stopped::Why::output)
      return limit(Limit::Kind::output, policy.output_bytes);
  }
  if (report.memory_limit_hit) return limit(Limit::Kind::memory, policy.memory_bytes);
  const int signal = report.signal();
  const auto cpu = report.process.user + report.process.system;
  if (signal == SIGXCPU || (signal == SIGKILL && cpu >= policy.cpu))
    return limit(Limit::Kind::cpu_time, seconds(policy.cpu));
  if (signal == SIGXFSZ) return limit(Limit::Kind::file_size, policy.file_bytes);
  if (report.process_limit_hit) return limit(Limit::Kind::processes, policy.processes);
  return std::nullopt;
}

}  // namespace opgrade
