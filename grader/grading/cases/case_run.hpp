/// Runs one case of a stage: calls that are timed, or problems that are only checked.
#pragma once

#include <random>
#include <span>
#include <vector>

#include "grader/base/core/note.hpp"
#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/cases/plan/case_calls.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// Runs and times the calls of a case as `timing` says. If a submission's calls leave so much
/// memory behind that a later call has none, the case runs again with a process for each call.
/// Fills all fields except `id`, points and the command to repeat. `notes` gets how the case was
/// measured, if that was not the usual way. Throws Error only for the grader's own failures.
JudgedCase run_timed_case(const CaseContext& context, const MakeCalls& make_calls,
                          const CaseConfig& listed, const TimingConfig& timing,
                          std::vector<Note>& notes);

enum class Until { first_wrong, end };

/// Runs `problems` by themselves, with values from `random`, until the first wrong one or to the
/// end.
JudgedCase run_problems_case(const CaseContext& context, std::span<const NamedProblem> problems,
                             std::mt19937_64 random, Until until = Until::first_wrong);

}  // namespace opgrade
