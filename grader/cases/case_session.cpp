#include "grader/cases/case_session.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "grader/build/limits.hpp"
#include "grader/run/runtime_view.hpp"

namespace opgrade {
namespace {

/// Memory of the emulated device's checks, beside the memory that they watch. Four bytes of it need
/// a cell of eight and a place of four. At most what the machine can give.
std::int64_t watcher_bytes(std::int64_t watched) {
  const auto machine =
      static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  return std::min(3 * watched, machine / 2);
}

SandboxPolicy run_policy(const CaseContext& context) {
  SandboxPolicy policy;
  add_runtime_view(policy, context.device, context.gpu != nullptr ? context.gpu->uuid() : "");
  for (const auto& library : context.libraries) add_library(policy, library);
  if (context.device == Device::cuda) add_profiler(policy, context.profiler);
  LimitConfig limits = context.config.run_limits;
  // As long as they would take one after another.
  limits.wall = std::min(limits.wall * context.sharing, context.wall);
  set_limits(policy, limits);
  if (context.watched) policy.watcher_bytes = watcher_bytes(policy.memory_bytes);
  return policy;
}

}  // namespace

std::unique_ptr<Session> start_session(const CaseContext& context, Session::Load load) {
  return std::make_unique<Session>(context.sandbox, run_policy(context), context.steps,
                                   context.harness, context.submission, load);
}

}  // namespace opgrade
