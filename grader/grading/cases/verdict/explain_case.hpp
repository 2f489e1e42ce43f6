/// Findings that name the place of a case's mistake. Only races change its outcome.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"

namespace opgrade {

/// Adds the findings that the report lacks. If a case failed without a line, the first finding that
/// explains explains its reason.
void explain_with(CaseReport& report, const std::vector<Finding>& findings);

/// For a session that ended at its limit of wall time: the line where its threads were most often.
std::optional<Finding> endless_loop(const Session& session, const CaseContext& context);

/// If a run that looks for data races, or its build, failed, the case fails, too, if it was right.
void fail_when_watched(JudgedCase& c, const SessionFailure& failure);

}  // namespace opgrade
