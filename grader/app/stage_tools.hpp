/// The tools that look at a stage's submission when its cases have their verdicts.
#pragma once

#include <vector>

#include "grader/app/grading_bench.hpp"
#include "grader/app/stage_build.hpp"
#include "grader/app/stage_device.hpp"
#include "grader/cases/case_context.hpp"
#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"

namespace opgrade {

/// compute-sanitizer, if it was asked for; its findings go into the stage's first case. Then the
/// tool that the run was asked for, whose file goes to GraderOptions::keep_tool_file. What could
/// not be done is a note.
void run_tools(const GradingBench& bench, const StageConfig& config, const StageContext& stage,
               StageBuild& build, StageDevice& device, StageReport& report,
               std::vector<Note>& notes);

}  // namespace opgrade
