/// Runs the cases of a stage in the builds that their plans name.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "grader/base/core/grade.hpp"
#include "grader/grading/cases/case_run.hpp"
#include "grader/grading/cases/plan/stage_plan.hpp"
#include "grader/grading/pipeline/case_notes.hpp"
#include "grader/grading/pipeline/case_reruns.hpp"
#include "grader/grading/pipeline/grading_bench.hpp"
#include "grader/grading/pipeline/stage_build.hpp"
#include "grader/grading/pipeline/stage_context.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

struct CaseBuilds {
  Program deciding;                   ///< the run that decides the case
  std::filesystem::path layers = {};  ///< the build that watches its network's layers; or empty
  Counting counting = {};
};

class PlannedCases {
 public:
  /// All arguments must outlive this object.
  PlannedCases(const GradingBench& bench, const StageConfig& stage, const StageContext& context,
               StageBuild& build, CaseNotes& notes)
      : bench_(bench),
        stage_(stage),
        context_(context),
        counting_(stage_context(bench, stage, Device::emulated, 1)),
        build_(build),
        notes_(notes),
        reruns_(bench.machine.tools(), bench.seed, context, build, notes) {}

  /// Why no build can watch the case although its plan asks for that. Such a case does not pass
  /// unwatched, because a GPU decides.
  std::optional<Reason> unwatchable(const CasePlan& plan);

  /// Compiles what the case needs before it has a device, because others wait for the device.
  CaseBuilds builds_for(const CasePlan& plan);

  CaseReport run(const CasePlan& plan, const CaseContext& context, const CaseBuilds& builds);

  /// Does what needs the case's report and no device: the sources that were counted, the
  /// sanitizers.
  void finish(const CasePlan& plan, CaseReport& report);

  /// An earlier grading ran the case. If the plan watches its network, the network counts as
  /// watched.
  void count_as_run(const CasePlan& plan);

 private:
  JudgedCase run_timed(const CasePlan& plan, const CaseConfig& listed, const CaseContext& context,
                       const std::filesystem::path& layers);
  JudgedCase run_checked(const CasePlan& plan, const auto& kind, const CaseContext& context);

  const GradingBench& bench_;
  const StageConfig& stage_;
  const StageContext& context_;
  const StageContext counting_;  ///< of the runs that count accesses, whatever the stage runs on
  StageBuild& build_;
  CaseNotes& notes_;
  CaseReruns reruns_;
  std::set<std::string> watched_networks_;
};

}  // namespace opgrade
