/// Runs a case's problems once more in a build that has the sanitizers of a CPU.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/cases/verdict/judged_case.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// Runs `problems` once more with context.built.submission built with address and
/// undefined-behaviour checks, and explains `report` with their findings.
void run_with_sanitizers(const CaseContext& context, const std::vector<NamedProblem>& problems,
                         std::mt19937_64 random, CaseReport& report);

/// Runs `problems` once more with context.built.submission built to find data races of OpenMP's
/// threads. The races found count as the case's own findings. So does a lost update if an output is
/// wrong in that run, because threads there let others come first after each atomic read. Without
/// any finding the case fails if that run does, because an exit hides a race, and so does a wrong
/// output. Returns a note if nothing is known: the run met a limit, which watching makes it meet
/// sooner, or the sanitizer does not start on this machine.
std::optional<Note> look_for_races(const CaseContext& context,
                                   const std::vector<NamedProblem>& problems,
                                   std::mt19937_64 random, JudgedCase& c);

}  // namespace opgrade
