#include "grader/cases/not_credible.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/measure/calibration.hpp"
#include "grader/measure/times.hpp"

namespace opgrade {

void mark_not_credible(CaseReport& report) {
  report.outcome = Outcome::not_credible;
  const auto throttled = std::ranges::find_if(report.calls, [](const CallReport& call) {
    return !call.timed && call.device_state && call.device_state->throttled_calls > 0 &&
           call.device_state->throttled_calls == count_timed(call.measurement);
  });
  if (throttled != report.calls.end()) {
    report.reason =
        fmt::format("{}: the GPU was slowed down in every timed call: {}", throttled->layer,
                    fmt::join(throttled->device_state->throttle_reasons, ", "));
    report.hint =
        "Not the submission's doing. Staff: check the device's cooling and power, and grade "
        "again.";
    return;
  }
  const auto late = std::ranges::find_if(
      report.calls, [](const CallReport& call) { return !call.timed && call.late_calls > 0; });
  if (late != report.calls.end()) {
    report.reason =
        fmt::format("{}: the output of {} call{} still changed after the call had ended",
                    late->layer, late->late_calls, late->late_calls == 1 ? "" : "s");
    report.hint =
        "Wait for all work on the device and for all threads before the function returns.";
    return;
  }
  const auto below = std::ranges::find_if(report.calls, [](const CallReport& call) {
    return !call.timed && is_below_empty_calls(call.measurement);
  });
  if (below != report.calls.end()) {
    report.reason = fmt::format(
        "{}: calls that do nothing took longer than the submission's: something else used the GPU",
        below->layer);
    report.hint =
        "Not the submission's doing. Staff: end the other program, which `nvidia-smi` names, and "
        "grade again.";
    return;
  }
  report.reason = "no call could be timed within the budget";
  report.hint = "Raise `timing.budget` in the config, or grade on a quieter machine.";
}

}  // namespace opgrade
