#include "grader/grading/measure/next_call.hpp"

#include <algorithm>

#include "grader/grading/measure/times.hpp"

namespace opgrade {
namespace {

/// At most this many times Plan::calls are timed, because a slowed device may spoil some calls.
constexpr int kTries = 3;

/// True if there is a limit and all calls so far took longer, whether they are timed or not.
bool are_all_beyond(const Measurement& measurement, std::optional<double> limit_ms) {
  const auto is_beyond = [&](const CallSample& call) {
    const auto op = call.proven.value_or(call.done);
    return to_ms(measurement.whole_layer.empty() ? op : call.layer) > *limit_ms;
  };
  return limit_ms && std::ranges::all_of(measurement.calls, is_beyond);
}

bool is_enough(const Progress& progress, const Plan& plan) {
  if (plan.calls == 0 && !plan.expected_ms) return true;
  if (progress.too_slow || is_hopeless(progress.measurement, plan) ||
      is_far_behind(progress.measurement, plan))
    return true;
  if (plan.calls == 0) return !progress.measurement.calls.empty();
  const int timed = count_timed(progress.measurement);
  return count_counting(progress.measurement) >= plan.calls || timed >= kTries * plan.calls ||
         (timed > 0 && progress.since > plan.budget);
}

}  // namespace

int count_counting(const Measurement& measurement) {
  return static_cast<int>(std::ranges::count(measurement.calls, CallUse::counts, &CallSample::use));
}

bool is_hopeless(const Measurement& measurement, const Plan& plan) {
  if (!plan.hopeless_ms || count_counting(measurement) == 0) return false;
  const double fastest = op_times(measurement).minimum_ms;
  const bool is_shown = measurement.calls.size() > 1 || fastest >= plan.expected_ms.value_or(0);
  return is_shown && fastest > *plan.hopeless_ms && are_all_beyond(measurement, plan.hopeless_ms);
}

bool is_far_behind(const Measurement& measurement, const Plan& plan) {
  return count_counting(measurement) >= kFewCalls &&
         are_all_beyond(measurement, plan.far_behind_ms);
}

void limit_times(Plan& plan, const TimeLimits& limits, std::span<const CallReport> earlier) {
  if (plan.calls == 0) return;
  double taken = 0;
  for (const CallReport& call : earlier) taken += call.op_time.minimum_ms;
  if (limits.hopeless_ms) {
    const double left = *limits.hopeless_ms - taken;
    plan.hopeless_ms = std::max(left, 0.0);
    plan.expected_ms = left > 0 ? limits.expected_ms : 0;
  }
  if (limits.far_behind_ms) plan.far_behind_ms = std::max(*limits.far_behind_ms - taken, 0.0);
}

NextCall next_call(const Progress& progress, const Plan& plan) {
  const int calls = static_cast<int>(progress.measurement.calls.size());
  const bool on_device = plan.place == Plan::Place::device;
  if (plan.single) return calls == 0 ? NextCall::timed : NextCall::none;
  if (on_device && progress.last == NextCall::known) return NextCall::none;
  if (calls == 0 && plan.expected_ms) return NextCall::trial;
  if (calls == 0 && !on_device) return NextCall::known;
  if (is_enough(progress, plan))
    return on_device && progress.last != NextCall::trial ? NextCall::known : NextCall::none;
  const int untimed = std::max(plan.warm_ups, 1);
  if (calls < untimed) return NextCall::warm_up;
  if (calls == untimed && on_device && are_all_beyond(progress.measurement, plan.hopeless_ms))
    return NextCall::trial;
  return NextCall::timed;
}

}  // namespace opgrade
