/// The times of a report, from the raw ones: pure.
#pragma once

#include "grader/base/core/grade.hpp"
#include "grader/base/core/measurement.hpp"
#include "grader/base/core/statistics.hpp"

namespace opgrade {

/// The grader's clock of the calls that count, with all adjustments.
TimeSummary op_times(const Measurement& measurement);
TimeSummary layer_times(const Measurement& measurement);

/// Claims of the submission's process: device events, of the calls that have them; without any, its
/// clock around each timed call.
TimeSummary claimed_times(const Measurement& measurement);

int count_timed(const Measurement& measurement);

/// Adds the calls of another process, whose adjustments are for these calls only.
void append(Measurement& all, const Measurement& process);

/// Fills the times and counts of `report` from its measurement; Op Time and Layer Time only where
/// it is timed. Called after each change of the measurement, so that a report has one time for each
/// thing.
void set_times(CallReport& report);

}  // namespace opgrade
