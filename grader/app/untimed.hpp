/// Why a case that is right has no time.
#pragma once

#include "grader/core/grade.hpp"

namespace opgrade {

/// Makes `report`, a case that passed with a conv that was not timed, not credible: with the times
/// that disagreed as the reason, or, where throttling took every timed call of a conv, that.
void leave_untimed(CaseReport& report);

}  // namespace opgrade
