#include "grader/grading/cases/verdict/clock_notes.hpp"

#include "grader/grading/measure/times.hpp"

namespace opgrade {

std::vector<Note> clock_notes(const CaseReport& report) {
  std::vector<Note> found;
  for (const CallReport& call : report.calls) {
    const int calls = count_timed(call.measurement);
    if (call.disagreeing_calls > 0)
      found.push_back(notes::DisagreeingCalls{call.layer, call.disagreeing_calls, calls});
    if (call.busy_calls > 0) found.push_back(notes::BusyCalls{call.layer, call.busy_calls, calls});
    if (call.timed && call.late_calls > 0)
      found.push_back(notes::LateCalls{call.layer, call.late_calls, calls});
  }
  return found;
}

}  // namespace opgrade
