#include "grader/grading/run/call_cost.hpp"

#include <optional>

#include "grader/base/core/error.hpp"
#include "grader/grading/measure/calibration.hpp"
#include "grader/grading/run/session.hpp"

namespace opgrade {

std::chrono::nanoseconds measure_call_cost(const Sandbox& sandbox, SandboxPolicy policy,
                                           const std::filesystem::path& harness) {
  Session session(sandbox, std::move(policy), {.prolog = false, .epilog = false}, harness, {});
  const CallTensors tensors({1}, {1, 1});
  const auto empty_call = [&]() -> std::optional<std::chrono::nanoseconds> {
    const auto time = session.step(protocol::Kind::forward);
    return time ? std::optional(time->until_done) : std::nullopt;
  };
  const auto cost = session.map(tensors) ? shortest_empty_call(empty_call) : std::nullopt;
  const auto report = session.finish();
  if (!cost) {
    const auto failure = session.failure(report);
    throw Error("a call that does nothing fails: " + in_brief(failure), "run `opgrade doctor`");
  }
  return *cost;
}

}  // namespace opgrade
