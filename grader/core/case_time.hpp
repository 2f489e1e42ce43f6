/// A case's time: the one number that points, rank and reports show.
#pragma once

#include <optional>

#include "grader/core/grade.hpp"
#include "grader/core/statistics.hpp"

namespace opgrade {

/// Sum over the case's layers of the statistic that `take` names, in ms. Empty when a layer was not
/// timed. `times`: Op Time or Layer Time.
std::optional<double> case_time(const CaseReport& report, Statistic take,
                                TimeSummary CallReport::*times = &CallReport::op_time);

}  // namespace opgrade
