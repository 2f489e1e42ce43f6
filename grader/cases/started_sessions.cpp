#include "grader/cases/started_sessions.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "grader/build/limits.hpp"
#include "grader/core/phases.hpp"
#include "grader/run/runtime_view.hpp"

namespace opgrade {
namespace {

/// An idle CUDA process takes about half of it on large devices.
constexpr std::int64_t kBytesEach = std::int64_t{1} << 30;

/// Some threads of the driver's, which count against a limit that is a user's and not a process's.
constexpr int kThreadsEach = 64;

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

void StartedSessions::start(const CaseContext& context, std::size_t cases) {
  if (context.gpu == nullptr || device_ == context.gpu->uuid()) return;
  sessions_.clear();
  device_ = context.gpu->uuid();
  const std::int64_t room =
      std::min<std::int64_t>(context.gpu->free_memory() / 8 / kBytesEach,
                             context.config.run_limits.processes / kThreadsEach);
  const std::size_t count =
      std::min(cases, static_cast<std::size_t>(std::max<std::int64_t>(room, 0)));
  if (count < 2) return;
  while (sessions_.size() < count)
    sessions_.push_back(start_session(context, Session::Load::later));
  // A case without one starts its own, and its failure is then judged as any.
  std::erase_if(sessions_, [](const auto& session) { return !session->await_harness(); });
  phase_over("processes of the stage started");
}

std::unique_ptr<Session> StartedSessions::take(const CaseContext& context) {
  if (context.gpu == nullptr || device_ != context.gpu->uuid()) return nullptr;
  // A fault of an earlier case may have ended it.
  while (!sessions_.empty()) {
    auto session = std::move(sessions_.back());
    sessions_.pop_back();
    if (!session->is_waiting()) continue;
    session->load();
    return session;
  }
  return nullptr;
}

}  // namespace opgrade
