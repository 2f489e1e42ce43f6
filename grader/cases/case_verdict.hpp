/// Decides a case from its calls and from the end of its process.
#pragma once

#include "grader/cases/case_run.hpp"

namespace opgrade {

/// Ends the session and decides the case's outcome from its calls and from how the process ended.
void conclude(CaseReport& report, Session& session, const CaseContext& context);

/// The first finding that decides, else the first that warns, else null.
const Finding* worst_mistake(const std::vector<Finding>& findings);

/// For a case whose outputs were right: what the mistake costs.
void judge_mistake(CaseReport& report, const Finding& mistake, FindingsRule rule);

/// For a case whose outputs were right: decides that it passed, and leaves the session for the next
/// one. False where only conclude() can tell how it ended.
bool conclude_and_go_on(CaseReport& report, Session& session);

}  // namespace opgrade
