/// Runs the cases of one built submission in one stage.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "grader/app/grading_bench.hpp"
#include "grader/app/skip_policy.hpp"
#include "grader/app/stage_build.hpp"
#include "grader/cases/case_run.hpp"
#include "grader/cases/stage_process.hpp"
#include "grader/cases/tensor_store.hpp"
#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"
#include "grader/device/gpu_pool.hpp"
#include "grader/task/model.hpp"

namespace opgrade {

/// Has threads find the memory of a stage's case with most work, while the stage is built. Does
/// nothing where there are too few cores for both.
void prepare_tensors(const GradingBench& bench, const StageConfig& stage, Device device);

class StageCases {
 public:
  /// All must outlive it. `notes`: of the grade.
  StageCases(const GradingBench& bench, const StageConfig& stage, StageBuild& build,
             std::vector<Reason>& notes);

  /// Begins to start the submission's process on an idle GPU, while it is built. Does nothing
  /// where no GPU is idle.
  void start_process();

  /// Runs the cases that `report` lists, the cheap ones first; the build has passed. A failure of
  /// the grader in one case is that case's outcome grader_fault.
  void run(StageReport& report);

 private:
  void run_one(CaseReport& report);
  void tell_outcome(const CaseReport& report);
  std::optional<Reason> unwatchable();
  void run_with_checks(CaseReport& report);
  void add_note(const std::string& id, std::string text);
  void note_left_out(const std::string& id, const char* what, std::string_view why);
  void add_warnings(StageReport& report);
  void run_on_device(CaseReport& report, const std::filesystem::path& watched);
  CaseReport run_timed(const CaseConfig& wanted, const std::string& id,
                       const std::filesystem::path& watched);
  CaseReport run_checked(const std::string& id);
  void vary_on_device(JudgedCase& c,
                      const std::function<JudgedCase(const CaseContext&)>& run) const;
  std::vector<CaseReport*> in_order(StageReport& report) const;
  void expect_calls(const StageReport& report);
  bool may_start_ahead() const;
  GpuPool::Launch launch_ahead();
  CaseContext context_on(Referee& device) const;
  bool end_process();
  void sanitize_first(StageReport& report);

  const GradingBench& bench_;
  const StageConfig& stage_;
  StageBuild& build_;
  std::vector<Reason>& notes_;
  std::unique_ptr<CallSets> sets_;
  std::vector<Reason> case_notes_;  ///< about a case, with which they leave when it is rerun
  StageContext shared_;
  CaseContext context_;  ///< of the current case
  /// All cases of a submission on the same device, so that their times belong together.
  GpuPool::Lease lease_;
  /// Runs on the leased device, so it is gone before that is given back.
  StageProcess process_;
  std::vector<CaseReport*> together_;  ///< of the cases that it has served
  SkipPolicy skip_policy_;
  std::set<std::string> watched_networks_;
  std::map<std::string, Outcome> told_;
  std::future<void> started_;  ///< writes `process_`
};

}  // namespace opgrade
