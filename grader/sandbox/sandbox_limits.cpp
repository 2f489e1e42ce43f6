#include "grader/sandbox/sandbox_limits.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>

#include <chrono>

namespace opgrade {
namespace {

std::string seconds_text(std::chrono::milliseconds time) {
  return fmt::format("{:g} s", std::chrono::duration<double>(time).count());
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes >= 1 << 30) return fmt::format("{:.3g} GiB", static_cast<double>(bytes) / (1 << 30));
  if (bytes >= 1 << 20) return fmt::format("{:.3g} MiB", static_cast<double>(bytes) / (1 << 20));
  return fmt::format("{:.3g} KiB", static_cast<double>(bytes) / 1024);
}

}  // namespace

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
    const auto most = static_cast<std::uint64_t>(policy.memory_bytes + policy.reserved_bytes);
    limits.push_back({RLIMIT_DATA, most});
  }
  if (users_most) limits.push_back({RLIMIT_NPROC, *users_most});
  return limits;
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

}  // namespace opgrade
