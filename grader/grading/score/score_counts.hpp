/// Points for what the kernels of a case did, counted on the emulated device.
#pragma once

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// `report`: of the case that the rule names. Open where nothing was counted, and, because the
/// submission's own process counts, where a rule is kept and emulated results are not accepted.
PointItem score_counts(const CountRule& rule, const CaseReport& report, bool accept_emulated);

}  // namespace opgrade
