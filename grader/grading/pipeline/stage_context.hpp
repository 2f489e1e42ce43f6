/// Makes what stays the same during a stage: the one place that puts a StageContext together.
#pragma once

#include "grader/base/core/device.hpp"
#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/pipeline/grading_bench.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/interface/call_sets.hpp"

namespace opgrade {

/// `threads` are the grader's, between calls. `sets` are of inputs that submissions share, or null.
StageContext stage_context(const GradingBench& bench, const StageConfig& stage, Device device,
                           int threads, CallSets* sets = nullptr);

}  // namespace opgrade
