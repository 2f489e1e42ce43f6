#include "grader/grading/measure/measure.hpp"

#include <algorithm>
#include <utility>

#include "grader/grading/measure/calibration.hpp"
#include "grader/grading/measure/times.hpp"

namespace opgrade {
namespace {

using Place = Plan::Place;

TimeAdjustment cost_of_call(const Measurement& measurement, const Plan& plan) {
  if (plan.place == Place::device || measurement.calls.back().empty) {
    const double cost = plan.place == Place::device ? cost_in_between(measurement)
                                                    : host_cost_in_between(measurement);
    return {"calls that do nothing, by a process of the grader's own in between", -cost,
            -cost * measurement.calls.back().steps};
  }
  return {"a call that does nothing, by a process of the grader's own", -to_ms(plan.empty_call),
          -to_ms(plan.empty_call) * measurement.calls.back().steps};
}

/// Excludes the times so far, because the calls that follow are timed in another way.
void drop_times(Measurement& measurement) {
  for (CallSample& call : measurement.calls)
    if (is_timed(call.use)) call.use = CallUse::overtaken;
}

/// Excludes the trial, because the submission may have known its input.
void drop_trial(Measurement& measurement) {
  measurement.calls.back().use = CallUse::known_input;
  measurement.adjustments.clear();
}

/// On a GPU one late output makes all times incredible, because the grader cannot time the end of
/// work that ran on the device after "done".
bool is_credible(const Measurement& measurement, const Plan& plan) {
  if (plan.place == Place::device && std::ranges::any_of(measurement.calls, &CallSample::late))
    return false;
  return count_counting(measurement) > 0 && !is_below_empty_calls(measurement);
}

}  // namespace

Measured measure_calls(Target& target, const Plan& plan) {
  Measured result;
  Measurement& measurement = result.measurement;
  measurement.whole_layer = plan.whole_layer;
  auto begin = target.now();
  NextCall last = NextCall::none;
  for (;;) {
    const NextCall next =
        next_call({measurement, last, target.now() - begin, result.too_slow}, plan);
    if (next == NextCall::none) break;
    const bool trial = next == NextCall::trial;
    const bool known = next == NextCall::known || trial;
    const bool timed = next == NextCall::timed;
    // The empty call comes before prepare(), because work that the preparation starts would slow
    // it.
    const auto empty = timed || trial ? target.empty_call() : std::nullopt;
    if (!target.prepare(known ? Input::known : Input::fresh)) return result;
    auto call = target.run();
    if (!call) return result;
    call->empty = empty;
    if (!timed && !trial) call->use = known ? CallUse::known_input : CallUse::warm_up;
    const Proof proof = target.check();
    call->late = !proof.stayed && (timed || plan.place == Place::device);
    measurement.calls.push_back(*std::move(call));
    if (proof.overtaken) drop_times(measurement);
    if (timed || trial) measurement.adjustments = {cost_of_call(measurement, plan)};
    if (trial && !is_hopeless(measurement, plan)) drop_trial(measurement);
    if (!proof.right) {
      result.end = Measured::End::wrong;
      return result;
    }
    if (known) begin = target.now();
    if (measurement.calls.size() == 1 && plan.warm_ups > 0 && plan.abort_above.count() > 0)
      result.too_slow = measurement.calls.back().done > plan.abort_above;
    last = next;
  }
  result.end = Measured::End::complete;
  result.credible = is_credible(measurement, plan);
  return result;
}

}  // namespace opgrade
