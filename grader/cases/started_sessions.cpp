#include "grader/cases/started_sessions.hpp"

#include <algorithm>
#include <utility>

#include "grader/cases/case_session.hpp"
#include "grader/core/phases.hpp"

namespace opgrade {
namespace {

/// An idle CUDA process takes about half of it on large devices.
constexpr std::int64_t kBytesEach = std::int64_t{1} << 30;

/// Some threads of the driver's, which count against a limit that is a user's and not a process's.
constexpr int kThreadsEach = 64;

}  // namespace

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
