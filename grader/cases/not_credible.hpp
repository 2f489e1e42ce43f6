/// Reasons why a right case has no time.
#pragma once

#include "grader/core/grade.hpp"

namespace opgrade {

/// Makes `report`, a case that passed with an untimed call, not credible. The reason is throttling
/// that took every sample of one computation, or an output that changed after its call was done.
void mark_not_credible(CaseReport& report);

}  // namespace opgrade
