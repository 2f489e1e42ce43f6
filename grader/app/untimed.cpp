#include "grader/app/untimed.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace opgrade {

void leave_untimed(CaseReport& report) {
  report.outcome = Outcome::not_credible;
  // grader_time has every timed call, dropped or not.
  const auto throttled = std::ranges::find_if(report.convs, [](const ConvReport& conv) {
    return !conv.timed && conv.device_state && conv.device_state->throttled_calls > 0 &&
           conv.device_state->throttled_calls ==
               static_cast<int>(conv.grader_time.samples_ms.size());
  });
  if (throttled != report.convs.end()) {
    report.reason =
        fmt::format("{}: the GPU was slowed down in every timed call: {}", throttled->layer,
                    fmt::join(throttled->device_state->throttle_reasons, ", "));
    report.hint =
        "Not the submission's doing. Staff: see to the device's cooling and power, and grade "
        "again.";
    return;
  }
  report.reason =
      "in no call did the times that its process reported agree with the grader's clock";
  report.hint =
      "Run it again on a quieter machine; staff should look at the source if it happens twice.";
}

}  // namespace opgrade
