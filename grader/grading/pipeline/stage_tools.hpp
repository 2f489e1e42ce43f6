/// The tools that look at a stage's submission after its cases. A mistake that compute-sanitizer
/// finds turns the first case from passed to mistake_found.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/cases/case_context.hpp"
#include "grader/grading/pipeline/grading_bench.hpp"
#include "grader/grading/pipeline/selection.hpp"
#include "grader/grading/pipeline/stage_build.hpp"
#include "grader/grading/pipeline/stage_device.hpp"
#include "grader/grading/profile/device_tool.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// The names of the files that a tool writes, by the names of the stages that run under it.
std::map<std::string, std::string> tool_files(const Config& config, const Selection& selection,
                                              const DeviceTool& tool);

/// Runs compute-sanitizer, if it was requested; its findings go into the stage's first case. Then
/// runs the tool that was requested, whose file goes to GraderOptions::keep_tool_file. What could
/// not be done becomes a note.
void run_tools(const GradingBench& bench, const StageConfig& stage_config,
               const StageContext& stage, StageBuild& build, StageDevice& device,
               StageReport& report, std::vector<Note>& notes);

}  // namespace opgrade
