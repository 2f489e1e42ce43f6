#include "grader/measure/measure.hpp"

#include <algorithm>
#include <utility>

#include "grader/measure/calibration.hpp"
#include "grader/measure/times.hpp"

namespace opgrade {
namespace {

using Place = Plan::Place;

/// Calls that a slowed device spoils, and those that count.
constexpr int kTries = 3;

int count_counting(const Measurement& measurement) {
  return static_cast<int>(std::ranges::count(measurement.calls, CallUse::counts, &CallSample::use));
}

TimeAdjustment cost_of_call(const Measurement& measurement, const Plan& plan) {
  if (plan.place == Place::device) {
    const double cost = device_call_cost(measurement);
    return {"calls that do nothing, by a process of the grader's own in between", -cost, -cost};
  }
  return {"a call that does nothing, by a process of the grader's own", -to_ms(plan.empty_call),
          -to_ms(plan.empty_call) * measurement.calls.back().steps};
}

bool is_enough(std::chrono::nanoseconds since, const Measurement& measurement, const Plan& plan) {
  const int timed = count_timed(measurement);
  return count_counting(measurement) >= plan.calls || timed >= kTries * plan.calls ||
         (timed > 0 && since > plan.budget);
}

/// The times so far are of another kind than those that follow.
void drop_times(Measurement& measurement) {
  for (CallSample& call : measurement.calls)
    if (is_timed(call.use)) call.use = CallUse::overtaken;
}

/// On a GPU one late output is too many: what ran there after "done" has no end that can be timed.
bool is_credible(const Measurement& measurement, const Plan& plan) {
  if (plan.place == Place::device && std::ranges::any_of(measurement.calls, &CallSample::late))
    return false;
  return count_counting(measurement) > 0 && !is_below_empty_calls(measurement);
}

}  // namespace

bool is_hopeless(const Measurement& measurement, const Plan& plan) {
  if (!plan.hopeless_ms || count_counting(measurement) == 0) return false;
  const auto is_beyond = [&](const CallSample& call) {
    return to_ms(call.proven.value_or(call.done)) > *plan.hopeless_ms;
  };
  return op_times(measurement).minimum_ms > *plan.hopeless_ms &&
         std::ranges::all_of(measurement.calls, is_beyond);
}

Measured measure_calls(Target& target, const Plan& plan) {
  Measured result;
  Measurement& measurement = result.measurement;
  auto begin = target.now();
  bool enough = plan.calls == 0;
  for (int calls = 0;; ++calls) {
    const bool known = !plan.single && (plan.place == Place::host ? calls == 0 : enough);
    if (enough && !known) break;
    const bool timed = plan.single || (!known && calls >= std::max(plan.warm_ups, 1));
    // Before the call is prepared, so that nothing that it begins makes the empty call slow.
    const auto empty = timed ? target.empty_call() : std::nullopt;
    if (!target.prepare(known ? Input::known : Input::fresh)) return result;
    auto call = target.run();
    if (!call) return result;
    call->empty = empty;
    if (!timed) call->use = known ? CallUse::known_input : CallUse::warm_up;
    const Proof proof = target.check();
    call->late = !proof.stayed && (timed || plan.place == Place::device);
    measurement.calls.push_back(*std::move(call));
    if (proof.overtaken) drop_times(measurement);
    if (timed) measurement.adjustments = {cost_of_call(measurement, plan)};
    if (!proof.right) {
      result.end = Measured::End::wrong;
      return result;
    }
    if (plan.single || (known && plan.place == Place::device)) break;
    if (known) begin = target.now();
    if (calls == 0 && plan.warm_ups > 0 && plan.abort_above.count() > 0)
      result.too_slow = measurement.calls.back().done > plan.abort_above;
    enough = enough || result.too_slow || is_hopeless(measurement, plan) ||
             is_enough(target.now() - begin, measurement, plan);
  }
  result.end = Measured::End::complete;
  result.credible = is_credible(measurement, plan);
  return result;
}

}  // namespace opgrade
