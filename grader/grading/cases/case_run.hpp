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

/// Runs and times the calls of a case as `timing` says. A submission whose calls leave so much
/// memory behind that a later one has none runs again, with a process for each call. Fills all but
/// `id`, points and the command to repeat. `notes` gets how it was measured, where that is not the
/// usual way. Throws Error for the grader's own failures only.
JudgedCase run_timed_case(const CaseContext& context, const MakeCalls& make_calls,
                          const CaseConfig& listed, const TimingConfig& timing,
                          std::vector<Note>& notes);

enum class Until { first_wrong, end };

/// Runs `problems` by themselves, with values from `random`, up to the first that is wrong or to
/// the end.
JudgedCase run_problems_case(const CaseContext& context, std::span<const NamedProblem> problems,
                             std::mt19937_64 random, Until until = Until::first_wrong);

}  // namespace opgrade
