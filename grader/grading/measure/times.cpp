#include "grader/grading/measure/times.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "grader/grading/measure/claims.hpp"

namespace opgrade {
namespace {

/// `clock` reads the stamp that `adjustment` belongs to.
TimeSummary times_of(const Measurement& measurement,
                     std::chrono::nanoseconds (*clock)(const CallSample&),
                     double TimeAdjustment::*adjustment) {
  std::vector<double> times;
  for (int i = 0; i < static_cast<int>(measurement.calls.size()); ++i) {
    const CallSample& call = measurement.calls[static_cast<std::size_t>(i)];
    if (call.use != CallUse::counts) continue;
    double taken_off = 0, added = 0;
    for (const TimeAdjustment& one : measurement.adjustments)
      if (one.call.value_or(i) == i) (one.*adjustment < 0 ? taken_off : added) += one.*adjustment;
    // A call with a proof ran on a device, which goes on although its process is stopped.
    const bool ran_on = call.late && !call.proven;
    times.push_back(std::max(to_ms(clock(call) + call.busy) + taken_off, 0.0) +
                    (ran_on ? to_ms(call.until_stopped) : 0.0) + added);
  }
  return summarize(std::move(times));
}

template <class Which>
int count_if_timed(const Measurement& measurement, Which which) {
  return static_cast<int>(std::ranges::count_if(measurement.calls, [&](const CallSample& call) {
    return is_timed(call.use) && which(call);
  }));
}

}  // namespace

TimeSummary op_times(const Measurement& measurement) {
  if (!measurement.whole_layer.empty()) return layer_times(measurement);
  // On a GPU "done" is a claim of the submission's process; the proof is the grader's.
  return times_of(
      measurement, [](const CallSample& call) { return call.proven.value_or(call.done); },
      &TimeAdjustment::op_ms);
}

TimeSummary layer_times(const Measurement& measurement) {
  return times_of(
      measurement, [](const CallSample& call) { return call.layer; }, &TimeAdjustment::layer_ms);
}

TimeSummary claimed_times(const Measurement& measurement) {
  std::vector<double> times;
  const bool events =
      std::ranges::any_of(measurement.calls, [](auto& call) { return call.device.count() > 0; });
  for (const CallSample& call : measurement.calls)
    if (events ? call.device.count() > 0 : is_timed(call.use))
      times.push_back(to_ms(events ? call.device : call.harness));
  return summarize(std::move(times));
}

int count_timed(const Measurement& measurement) {
  return count_if_timed(measurement, [](const CallSample&) { return true; });
}

void append(Measurement& all, const Measurement& process) {
  const int before = static_cast<int>(all.calls.size());
  const int calls = static_cast<int>(process.calls.size());
  all.calls.insert(all.calls.end(), process.calls.begin(), process.calls.end());
  for (const TimeAdjustment& one : process.adjustments) {
    for (int i = 0; i < calls; ++i) {
      if (one.call.value_or(i) != i) continue;
      all.adjustments.push_back(one);
      all.adjustments.back().call = before + i;
    }
  }
  if (!process.whole_layer.empty()) all.whole_layer = process.whole_layer;
}

void set_times(CallReport& report) {
  const Measurement& measurement = report.measurement;
  report.op_time = report.timed ? op_times(measurement) : TimeSummary{};
  report.layer_time = report.timed ? layer_times(measurement) : TimeSummary{};
  report.process_time = claimed_times(measurement);
  report.late_calls = static_cast<int>(std::ranges::count_if(measurement.calls, &CallSample::late));
  report.busy_calls =
      count_if_timed(measurement, [](const CallSample& call) { return call.busy.count() > 0; });
  report.disagreeing_calls = count_if_timed(measurement, [](const CallSample& call) {
    return !agrees(call.harness, call.proven.value_or(call.done));
  });
  if (report.device_state) {
    report.device_state->throttled_calls = count_if_timed(
        measurement, [](const CallSample& call) { return call.use == CallUse::throttled; });
  }
}

}  // namespace opgrade
