/// Decides a case from its calls and from the end of its process.
#pragma once

#include "grader/cases/case_run.hpp"

namespace opgrade {

/// Ends the session and decides the case's outcome from its calls and from how the process ended.
void conclude(CaseReport& report, Session& session, const CaseContext& context);

}  // namespace opgrade
