/// What a stage's cases compute, and which the emulated device can watch.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "grader/app/grading_bench.hpp"
#include "grader/core/device.hpp"
#include "grader/intake/intake.hpp"
#include "grader/score/score.hpp"
#include "grader/task/problem.hpp"

namespace opgrade {

/// In floating-point operations.
double work_of(const GradingBench& bench, const CaseConfig& wanted);

/// Of the case that the rule names.
CaseWork work_of(const GradingBench& bench, const StageConfig& stage, const OpTimeRule& rule);

/// True if the emulated device can check every access of the case in some seconds. A network's case
/// is too large.
bool is_small(const GradingBench& bench, const StageConfig& stage, const std::string& id);

/// The problems of a case that lists no sizes: random shapes or batches, or the stage's fixed
/// shapes.
std::vector<NamedProblem> problems_of(const GradingBench& bench, const StageConfig& stage,
                                      Device device, const std::string& id,
                                      std::mt19937_64& random);

/// True if the submission uses atomicExch or atomicCAS, so that interleave() can find a lost
/// update.
bool exchanges_words(const TakenFiles& files);

}  // namespace opgrade
