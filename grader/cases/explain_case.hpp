/// Findings that name the place of a case's mistake. They never change its outcome.
#pragma once

#include <optional>
#include <vector>

#include "grader/cases/case_run.hpp"

namespace opgrade {

/// Adds those that the report has not. For a case that failed without a line, the first that
/// explains explains its reason.
void explain_with(CaseReport& report, const std::vector<Finding>& findings);

/// For a session that ended at its limit of wall time: the line where its threads were most often.
std::optional<Finding> endless_loop(const Session& session, const CaseContext& context);

/// Runs `problems` once more with context.submission built with address and undefined-behaviour
/// checks, and explains `report` with their findings.
void run_with_sanitizers(const CaseContext& context, const std::vector<NamedProblem>& problems,
                         std::mt19937_64 random, CaseReport& report);

}  // namespace opgrade
