#include "grader/core/case_time.hpp"

namespace opgrade {

std::optional<double> case_time(const CaseReport& report, Statistic take,
                                TimeSummary ConvReport::*times) {
  double sum = 0;
  for (const auto& conv : report.convs) {
    if (!conv.timed || (conv.*times).samples_ms.empty()) return std::nullopt;
    sum += value_of(conv.*times, take);
  }
  return report.convs.empty() ? std::nullopt : std::optional(sum);
}

}  // namespace opgrade
