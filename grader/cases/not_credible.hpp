/// Reasons why a right case has no time.
#pragma once

#include "grader/core/grade.hpp"

namespace opgrade {

/// Makes `report`, a case that passed with an untimed conv, not credible. The reason is throttling
/// that took every timed call of a conv, or an output that changed after a call was done.
void mark_not_credible(CaseReport& report);

}  // namespace opgrade
