/// Points for what the kernels of a case did, counted on the emulated device.
#pragma once

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// `report` is of the case that the rule names. The points are open if nothing was counted. They
/// are also open if a rule is kept but emulated results are not accepted, because the submission's
/// own process counts.
PointItem score_counts(const CountRule& rule, const CaseReport& report, bool accept_emulated);

}  // namespace opgrade
