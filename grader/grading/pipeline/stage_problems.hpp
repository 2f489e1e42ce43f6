/// What a stage's cases compute, and which cases the emulated device can watch.
#pragma once

#include <random>
#include <vector>

#include "grader/base/core/device.hpp"
#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/device/gpu_pool.hpp"
#include "grader/grading/intake/intake.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/task/config/stage_case.hpp"
#include "grader/task/interface/problem.hpp"

namespace opgrade {

/// Floating-point operations of a timed case; 0 for any other. `models`: null if no task has any.
double work_of(Models* models, const Config& config, const StageConfig& stage, const Case& c);

/// The work of the case that the rule names, and its least time on one of the `gpus`.
CaseWork work_of(Models* models, const Config& config, const StageConfig& stage,
                 const OpTimeRule& rule, const GpuPool& gpus);

/// True if the emulated device can check every access of the case in some seconds. A network's case
/// is too large.
bool is_small(Models* models, const Config& config, const StageConfig& stage, const Case& c);

/// The problems of a case that lists no sizes.
std::vector<NamedProblem> problems_of(const StageContext& stage, const RandomBatchesCase& batches,
                                      std::mt19937_64& random);
std::vector<NamedProblem> problems_of(const StageContext& stage, const RandomShapesCase& shapes,
                                      std::mt19937_64& random);
std::vector<NamedProblem> problems_of(const StageContext& stage, const FixedShapesCase& fixed,
                                      std::mt19937_64& random);

/// True if the submission uses atomicExch or atomicCAS, so that interleave() can find a lost
/// update.
bool exchanges_words(const TakenFiles& files);

/// True if the submission names streams, asynchronous copies, or memory that host code and kernels
/// share, so that delay_work() can find a missing wait.
bool works_asynchronously(const TakenFiles& files);

}  // namespace opgrade
