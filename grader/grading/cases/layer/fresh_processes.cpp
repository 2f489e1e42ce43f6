#include "grader/grading/cases/layer/fresh_processes.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "grader/grading/measure/next_call.hpp"
#include "grader/grading/measure/times.hpp"

namespace opgrade {
namespace {

void add(std::optional<DeviceState>& all, const std::optional<DeviceState>& one) {
  if (!one) return;
  if (!all) {
    all = one;
    return;
  }
  all->sm_clock_mhz = std::min(all->sm_clock_mhz, one->sm_clock_mhz);
  all->temperature_c = std::max(all->temperature_c, one->temperature_c);
  for (const auto& reason : one->throttle_reasons)
    if (std::ranges::find(all->throttle_reasons, reason) == all->throttle_reasons.end())
      all->throttle_reasons.push_back(reason);
}

/// The first timed call stands in for the warm-ups, which a new process does not make.
bool is_too_slow(const Measurement& first, const Plan& plan) {
  return plan.warm_ups > 0 && plan.abort_above.count() > 0 && !first.calls.empty() &&
         first.calls.back().done > plan.abort_above;
}

}  // namespace

CallReport run_in_fresh_processes(const FreshRun& fresh, const RunOptions& options,
                                  const std::function<void()>& use_output) {
  RunOptions as_it_is = options;
  as_it_is.plan.calls = 0;
  CallReport report = fresh.run(as_it_is, use_output);
  Measurement first = std::exchange(report.measurement, {});
  append(report.measurement, first);
  if (fresh.ended() || !report.check.passed()) return report;
  if (is_hopeless(report.measurement, options.plan)) {  // it was a trial
    set_times(report);
    return report;
  }

  RunOptions single = options;
  single.plan.single = true;
  using Milliseconds = std::chrono::duration<double, std::milli>;
  Milliseconds spent{};
  bool late = false;
  for (int calls = 0; calls < options.plan.calls; ++calls) {
    if (calls > 0 && spent > options.plan.budget) break;
    const CallReport one = fresh.run(single, [] {});
    const bool failed = fresh.ended() || !one.check.passed();
    report.too_slow = calls == 0 && !failed && is_too_slow(one.measurement, options.plan);
    add(report.device_state, one.device_state);
    if (report.too_slow) return report;
    append(report.measurement, one.measurement);
    set_times(report);
    if (failed) {
      if (one.check.checked > 0) report.check = one.check;
      return report;
    }
    late = late || (one.late_calls > 0 && !one.timed);
    for (const double ms : one.layer_time.samples_ms) spent += Milliseconds(ms);
    if (is_hopeless(report.measurement, options.plan) ||
        is_far_behind(report.measurement, options.plan))
      break;
  }
  report.timed = !late && !op_times(report.measurement).samples_ms.empty();
  set_times(report);
  return report;
}

}  // namespace opgrade
