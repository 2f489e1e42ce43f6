#include "grader/cases/not_credible.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "grader/measure/calibration.hpp"
#include "grader/measure/times.hpp"

namespace opgrade {

CaseVerdict not_credible(const CaseReport& report) {
  const auto throttled = std::ranges::find_if(report.calls, [](const CallReport& call) {
    return !call.timed && call.device_state && call.device_state->throttled_calls > 0 &&
           call.device_state->throttled_calls == count_timed(call.measurement);
  });
  if (throttled != report.calls.end()) {
    return {Outcome::not_credible,
            fmt::format("{}: the GPU was slowed down in every timed call: {}", throttled->layer,
                        fmt::join(throttled->device_state->throttle_reasons, ", ")),
            "Not the submission's doing. Staff: check the device's cooling and power, and grade "
            "again."};
  }
  const auto late = std::ranges::find_if(
      report.calls, [](const CallReport& call) { return !call.timed && call.late_calls > 0; });
  if (late != report.calls.end()) {
    return {Outcome::not_credible,
            fmt::format("{}: the output of {} call{} still changed after the call had ended",
                        late->layer, late->late_calls, late->late_calls == 1 ? "" : "s"),
            "Wait for all work on the device and for all threads before the function returns."};
  }
  const auto below = std::ranges::find_if(report.calls, [](const CallReport& call) {
    return !call.timed && is_below_empty_calls(call.measurement);
  });
  if (below != report.calls.end()) {
    return {Outcome::not_credible,
            fmt::format("{}: calls that do nothing took longer than the submission's: something "
                        "else used the GPU",
                        below->layer),
            "Not the submission's doing. Staff: end the other program, which `nvidia-smi` names, "
            "and grade again."};
  }
  return {Outcome::not_credible, "no call could be timed within the budget",
          "Raise `timing.budget` in the config, or grade on a quieter machine."};
}

}  // namespace opgrade
