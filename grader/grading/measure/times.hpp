/// The times of a report, from the raw ones: pure.
#pragma once

#include "grader/base/core/grade.hpp"
#include "grader/base/core/measurement.hpp"
#include "grader/base/core/statistics.hpp"

namespace opgrade {

/// The grader's clock, with all adjustments, over the calls that count.
TimeSummary op_times(const Measurement& measurement);
TimeSummary layer_times(const Measurement& measurement);

/// Claims of the submission's process: device events of the calls that have them. If no call has
/// events, the process's clock around each timed call.
TimeSummary claimed_times(const Measurement& measurement);

int count_timed(const Measurement& measurement);

/// Adds the calls of another process. The adjustments of `process` apply to these calls only.
void append(Measurement& all, const Measurement& process);

/// Fills the times and counts of `report` from its measurement; Op Time and Layer Time only if the
/// report is timed. Called after each change of the measurement, so that all times of a report
/// agree.
void set_times(CallReport& report);

}  // namespace opgrade
