#include "grader/measure/measure.hpp"

#include <algorithm>
#include <utility>

#include "grader/measure/calibration.hpp"
#include "grader/measure/times.hpp"

namespace opgrade {
namespace {

using Place = Plan::Place;

/// The most calls on a GPU, where times may never settle.
constexpr int kMostCalls = 200;

/// For a first call that counts the budget may be overdrawn by this factor.
constexpr int kOverdraft = 3;

/// Half the 95 % interval over the median: nvbench's number, which it holds against the spread of
/// the samples. That stops short calls never, however many there are, because their spread is the
/// clock's and the driver's.
constexpr double kSettled = 0.005;

/// That half, for calls below 60 us. The spread of the clock and the driver is 0.8 us on an H200,
/// and 0.5 % of 5 us would take thousands of calls. Promised are 10 us (docs/security.md).
constexpr double kSettledMs = 0.0003;

/// Fewer samples may agree by chance.
constexpr std::size_t kFewSamples = 15;

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

bool has_settled(const Measurement& measurement) {
  const TimeSummary times = op_times(measurement);
  // Zero: the empty calls took as long.
  if (times.median_ms <= 0) return false;
  return times.uncertainty() < kSettled || (times.samples_ms.size() >= kFewSamples &&
                                            times.uncertainty() * times.median_ms < kSettledMs);
}

/// True if there is no time for another call.
bool is_spent(std::chrono::nanoseconds since, const CallSample& last, int counting,
              const Plan& plan) {
  if (plan.place == Place::host) return since + last.layer > plan.budget;
  return since > plan.budget * (counting == 0 ? kOverdraft : 1);
}

bool is_enough(std::chrono::nanoseconds since, const Measurement& measurement, const Plan& plan) {
  const int counting = count_counting(measurement);
  const bool device = plan.place == Place::device;
  const bool settled =
      counting >= plan.repetitions && (!device || !plan.settle || has_settled(measurement));
  const int calls = static_cast<int>(measurement.calls.size()) - 1;
  const bool many = device && calls >= plan.warm_ups + kMostCalls;
  return settled || many ||
         (is_spent(since, measurement.calls.back(), counting, plan) &&
          count_timed(measurement) > 0);
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

Measured measure_calls(Target& target, const Plan& plan) {
  Measured result;
  Measurement& measurement = result.measurement;
  auto begin = target.now();
  bool enough = !plan.timed;
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
    enough = enough || result.too_slow || is_enough(target.now() - begin, measurement, plan);
  }
  result.end = Measured::End::complete;
  result.credible = is_credible(measurement, plan);
  return result;
}

}  // namespace opgrade
