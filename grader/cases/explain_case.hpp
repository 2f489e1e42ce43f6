/// Findings that name the place of a case's mistake. Only races change its outcome.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/cases/case_run.hpp"
#include "grader/cases/judged_case.hpp"

namespace opgrade {

/// Adds those that the report has not. For a case that failed without a line, the first that
/// explains explains its reason.
void explain_with(CaseReport& report, const std::vector<Finding>& findings);

/// For a session that ended at its limit of wall time: the line where its threads were most often.
std::optional<Finding> endless_loop(const Session& session, const CaseContext& context);

/// Runs `problems` once more with context.built.submission built with address and
/// undefined-behaviour checks, and explains `report` with their findings.
void run_with_sanitizers(const CaseContext& context, const std::vector<NamedProblem>& problems,
                         std::mt19937_64 random, CaseReport& report);

/// A run that looks for data races, or its build, failed: so does the case, if it was right.
void fail_when_watched(JudgedCase& c, const SessionFailure& failure);

/// Runs `problems` once more with context.built.submission built to find data races of OpenMP's
/// threads. Those that it has count as the case's own findings, and so does a lost update where an
/// output is wrong in that run: there threads let others come first after each atomic read. Without
/// any of them the case fails if that run does: an exit hides a race, and so does a wrong output.
/// Gives why nothing is known, for a note: the run met a limit, which watching makes it meet
/// sooner, or the sanitizer does not start on this machine.
std::optional<std::string> look_for_races(const CaseContext& context,
                                          const std::vector<NamedProblem>& problems,
                                          std::mt19937_64 random, JudgedCase& c);

}  // namespace opgrade
