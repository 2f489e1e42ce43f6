#include "grader/grading/cases/verdict/not_credible.hpp"

#include <algorithm>

#include "grader/grading/measure/calibration.hpp"
#include "grader/grading/measure/times.hpp"

namespace opgrade {

CaseVerdict not_credible(const CaseReport& report) {
  const auto throttled = std::ranges::find_if(report.calls, [](const CallReport& call) {
    return !call.timed && call.device_state && call.device_state->throttled_calls > 0 &&
           call.device_state->throttled_calls == count_timed(call.measurement);
  });
  if (throttled != report.calls.end()) {
    return {Outcome::not_credible,
            why::Throttled{throttled->layer, throttled->device_state->throttle_reasons}};
  }
  const auto late = std::ranges::find_if(
      report.calls, [](const CallReport& call) { return !call.timed && call.late_calls > 0; });
  if (late != report.calls.end()) {
    return {Outcome::not_credible, why::LateOutput{late->layer, late->late_calls}};
  }
  const auto below = std::ranges::find_if(report.calls, [](const CallReport& call) {
    return !call.timed && is_below_empty_calls(call.measurement);
  });
  if (below != report.calls.end()) {
    return {Outcome::not_credible, why::BelowEmptyCall{below->layer}};
  }
  return {Outcome::not_credible, why::Untimed{}};
}

}  // namespace opgrade
