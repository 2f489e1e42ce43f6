/// Why a case that is right has no time.
#pragma once

#include "grader/core/grade.hpp"

namespace opgrade {

/// Makes `report`, a case that passed with a conv that was not timed, not credible: where
/// throttling took every timed call of a conv, or its output changed after a call was done, that is
/// the reason.
void leave_untimed(CaseReport& report);

}  // namespace opgrade
