#include "grader/grading/cases/layer/case_session.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "grader/grading/build/limits.hpp"
#include "grader/grading/run/runtime_view.hpp"

namespace opgrade {
namespace {

/// Memory of the emulated device's checks, besides the memory that they watch: four bytes of that
/// need a cell of eight and a place of four. At most what the machine can give.
std::int64_t watcher_bytes(std::int64_t watched) {
  const auto machine =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return std::min(3 * watched, machine / 2);
}

/// The process goes on after undefined behaviour and ends at the first bad access. Leaks are not
/// sought, because that needs ptrace(2), which a sandbox does not allow.
void add_sanitizers(SandboxPolicy& policy, const std::vector<std::filesystem::path>& runtimes) {
  constexpr std::int64_t kShadow = std::int64_t{1} << 48;  // all addresses, of ARM64 too
  policy.reserved_bytes = kShadow;
  std::string preload = "LD_PRELOAD=";
  for (const auto& file : runtimes) {
    add_library(policy, file);
    if (!preload.ends_with('=')) preload += ':';
    preload += policy.mounts.back().inside;
  }
  policy.environment.push_back(preload);
  // Without a control group the reservation leaves no other limit on memory.
  policy.environment.push_back(
      fmt::format("ASAN_OPTIONS=detect_leaks=0:color=never:allocator_may_return_null=1:max_"
                  "allocation_size_mb={0}:"
                  "hard_rss_limit_mb={0}",
                  policy.memory_bytes >> 20));
  policy.environment.push_back("UBSAN_OPTIONS=color=never");
  // libgomp is not instrumented: adapters/openmp_races.cc. There may be more threads than
  // processors.
  policy.environment.push_back(
      "TSAN_OPTIONS=color=never:ignore_noninstrumented_modules=1:halt_on_error=1");
  policy.environment.push_back("OMP_NUM_THREADS=4");
  policy.environment.push_back("OMP_WAIT_POLICY=passive");
}

/// The emulated device's memory, within the process's limit and the machine's own.
std::int64_t device_bytes(std::int64_t limit) {
  const auto machine =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return std::min(limit / 8 * 7, machine / 4 * 3);
}

SandboxPolicy run_policy(const CaseContext& context) {
  SandboxPolicy policy;
  add_runtime_view(policy, context.stage.device, context.on.uuids());
  if (!context.built.variation.empty()) policy.environment.push_back(context.built.variation);
  for (const auto& library : context.stage.libraries) add_library(policy, library);
  if (!context.built.preloads.empty()) add_sanitizers(policy, context.built.preloads);
  if (context.stage.device == Device::cuda) add_profiler(policy, context.stage.profiler);
  LimitConfig limits = context.stage.config.run_limits;
  limits.wall = std::min(limits.wall, context.wants.wall);
  // OMP_NUM_THREADS above and the sanitizer's own, which a submission did not ask for.
  constexpr int kSanitizerThreads = 16;
  if (!context.built.preloads.empty()) limits.processes += kSanitizerThreads;
  set_limits(policy, limits);
  if (context.stage.device == Device::emulated)
    policy.environment.push_back(
        fmt::format("OPGRADE_EMULATION_MEMORY={}", device_bytes(policy.memory_bytes)));
  if (context.stage.device == Device::emulated && context.stage.gpus > 1)
    policy.environment.push_back(fmt::format("OPGRADE_EMULATION_DEVICES={}", context.stage.gpus));
  if (context.wants.threads > 0)
    policy.environment.push_back(fmt::format("OMP_NUM_THREADS={}", context.wants.threads));
  policy.cores = context.wants.cores;
  if (context.built.watched) policy.watcher_bytes = watcher_bytes(policy.memory_bytes);
  return policy;
}

}  // namespace

std::unique_ptr<Session> start_session(const CaseContext& context, Session::Load load) {
  return std::make_unique<Session>(context.stage.sandbox, run_policy(context), context.stage.steps,
                                   context.stage.harness, context.built.submission, load);
}

}  // namespace opgrade
