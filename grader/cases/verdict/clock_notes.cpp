#include "grader/cases/verdict/clock_notes.hpp"

#include <fmt/format.h>

#include <string_view>

#include "grader/measure/times.hpp"

namespace opgrade {

std::vector<std::string> clock_notes(const CaseReport& report) {
  std::vector<std::string> notes;
  for (const CallReport& call : report.calls) {
    const int calls = count_timed(call.measurement);
    const auto say = [&](int count, std::string_view what) {
      if (count > 0)
        notes.push_back(
            fmt::format("{}: in {} of {} timed calls {}", call.layer, count, calls, what));
    };
    say(call.disagreeing_calls,
        "the submission's process measured another time than the grader, as on a busy machine; "
        "the grader's counts. Run it again when nothing else runs");
    say(call.busy_calls,
        "something else had the device between the fresh input and the call; its time counts. "
        "Run it again when nothing else uses the device");
    if (call.timed)
      say(call.late_calls,
          "the output still changed after the call had ended; the time until the process was "
          "stopped counts. Wait for all threads and the device before the function returns");
  }
  return notes;
}

}  // namespace opgrade
