/// Runs the cases of one built submission in one stage.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/cases/case_run.hpp"
#include "grader/grading/cases/plan/stage_plan.hpp"
#include "grader/grading/pipeline/case_notes.hpp"
#include "grader/grading/pipeline/grading_bench.hpp"
#include "grader/grading/pipeline/planned_cases.hpp"
#include "grader/grading/pipeline/skip_policy.hpp"
#include "grader/grading/pipeline/stage_build.hpp"
#include "grader/grading/pipeline/stage_device.hpp"
#include "grader/grading/score/hopeless.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Has threads find the memory of the stage's case with most work, while the stage is built. Does
/// nothing if there are too few cores for both.
void prepare_tensors(const GradingBench& bench, const StageConfig& stage, Device device);

/// How an interrupted grading of a stage continues.
struct FinishedCases {
  const StageReport* had = nullptr;  ///< the cases that it finished; null for none
  bool is_whole = false;             ///< it finished the stage
  /// Gets the finished cases after each case, with the notes about them; or empty.
  std::function<void(const StageReport&, const std::vector<Note>&)> keep{};
};

class StageCases {
 public:
  /// Make this when the stage is built. Waits until the GPUs are found. All arguments must outlive
  /// this object. `sets` are of inputs that submissions share, or null. `notes` are the grade's.
  StageCases(const GradingBench& bench, const StageConfig& stage, StageBuild& build,
             StageDevice& device, CallSets* sets, GradedAt at, std::vector<Note>& notes);

  /// Runs the cases that `report` lists, the cheap ones first. A failure of the grader in one case
  /// is that case's outcome grader_fault. The plan is that of all cases, so cases that are taken
  /// from `finished` leave the others as they would be.
  void run(StageReport& report, const FinishedCases& finished = {});

 private:
  /// A case while it runs.
  struct Running {
    const CasePlan& plan;
    CaseReport& report;
  };

  PlanFacts facts_of(const StageReport& report) const;
  void expect_calls(const std::vector<CasePlan>& plans);
  bool take_finished(const Running& c, const StageReport* had);
  void run_one(const Running& c);
  void run_builds(const Running& c);
  TimeLimits limits_of(const CasePlan& plan) const;
  void run_on_device(const Running& c, const CaseBuilds& builds);
  void tell_outcome(const CaseReport& report);
  /// Ends the process. Returns false if it failed after its cases, which then run again. If the
  /// device fails, their reports say so, because no more is known of them.
  bool end_process(const std::vector<Running>& together);

  const GradingBench& bench_;
  const StageConfig& stage_;
  StageBuild& build_;
  StageDevice& device_;
  const GradedAt graded_at_;
  std::vector<Note>& notes_;
  CaseNotes case_notes_;
  const StageContext context_;
  PlannedCases cases_;
  SkipPolicy skip_policy_;
  CaseTimes times_;
  std::map<std::string, Outcome> told_;
};

}  // namespace opgrade
