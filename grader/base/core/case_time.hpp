/// A case's time: the one number that points, rank and reports show.
#pragma once

#include <chrono>
#include <optional>

#include "grader/base/core/grade.hpp"
#include "grader/base/core/statistics.hpp"

namespace opgrade {

/// Sum over the case's layers of the statistic that `take` names, in ms. Empty if a layer was not
/// timed. `times`: Op Time or Layer Time.
std::optional<double> case_time(const CaseReport& report, Statistic take,
                                TimeSummary CallReport::*times = &CallReport::op_time);

/// Sum of the Layer Times of all calls, the untimed ones included.
std::chrono::nanoseconds time_of_calls(const CaseReport& report);

}  // namespace opgrade
