#include "grader/base/core/case_time.hpp"

namespace opgrade {

std::optional<double> case_time(const CaseReport& report, Statistic take,
                                TimeSummary CallReport::*times) {
  double sum = 0;
  for (const auto& call : report.calls) {
    if (!call.timed || (call.*times).samples_ms.empty()) return std::nullopt;
    sum += value_of(call.*times, take);
  }
  return report.calls.empty() ? std::nullopt : std::optional(sum);
}

std::chrono::nanoseconds time_of_calls(const CaseReport& report) {
  std::chrono::nanoseconds sum{};
  for (const CallReport& call : report.calls)
    for (const CallSample& sample : call.measurement.calls) sum += sample.layer;
  return sum;
}

}  // namespace opgrade
