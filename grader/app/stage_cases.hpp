/// Runs the cases of one built submission in one stage.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grader/app/grading_bench.hpp"
#include "grader/app/skip_policy.hpp"
#include "grader/app/stage_build.hpp"
#include "grader/app/stage_plan.hpp"
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

/// How an interrupted grading of a stage goes on.
struct FinishedCases {
  const StageReport* had = nullptr;  ///< the cases that it finished; null for none
  bool is_whole = false;             ///< it finished the stage
  /// Gets the finished cases after each one, with the notes about them; or empty.
  std::function<void(const StageReport&, const std::vector<Reason>&)> keep{};
};

class StageCases {
 public:
  /// All must outlive it. `notes`: of the grade.
  StageCases(const GradingBench& bench, const StageConfig& stage, StageBuild& build,
             std::vector<Reason>& notes);

  /// Begins to start the submission's process on an idle GPU, while it is built. Does nothing
  /// where no GPU is idle.
  void start_process();

  /// Runs the cases that `report` lists, the cheap ones first; the build has passed. A failure of
  /// the grader in one case is that case's outcome grader_fault. The plan is that of all cases, so
  /// those that `finished` has leave the others as they would be.
  void run(StageReport& report, const FinishedCases& finished = {});

 private:
  /// A case while it runs.
  struct Running {
    const CasePlan& plan;
    CaseReport& report;
  };

  struct CaseBuilds {
    Program deciding;                   ///< the run that decides the case
    std::filesystem::path layers = {};  ///< watches its network's layers; or empty
    Counting counting = {};
  };

  PlanFacts facts_of(const StageReport& report) const;
  void run_one(const Running& c);
  bool take_finished(const Running& c, const StageReport* had);
  void run_builds(const Running& c);
  CaseBuilds builds_for(const CasePlan& plan);
  std::optional<double> hopeless_of(const CasePlan& plan) const;
  void run_on_device(const Running& c, const CaseBuilds& builds);
  void run_with_checks(const Running& c);
  CaseReport run_timed(const CasePlan& plan, const CaseConfig& listed, const CaseContext& context,
                       const std::filesystem::path& layers);
  CaseReport run_checked(const CasePlan& plan, const auto& kind, const CaseContext& context);
  void vary_on_device(const CasePlan& plan, const CaseContext& context, JudgedCase& c,
                      const std::function<JudgedCase(const CaseContext&)>& run);
  void find_races(const std::string& id, const std::vector<NamedProblem>& problems,
                  const std::mt19937_64& random, JudgedCase& judged);

  Program plain() const;
  CaseContext plain_on(CaseDevice device) const;
  CaseDevice take_device(const Listener& listen, const GpuPool::Launch& launch);

  void tell_outcome(const CaseReport& report);
  std::optional<Reason> unwatchable();
  void add_note(const std::string& id, std::string text);
  void note_left_out(const std::string& id, const char* what, std::string_view why);
  void add_warnings(StageReport& report);
  void expect_calls(const std::vector<CasePlan>& plans);
  bool may_start_ahead() const;
  GpuPool::Launch launch_ahead();
  bool end_process(const std::vector<Running>& together);
  void sanitize_first(StageReport& report);

  const GradingBench& bench_;
  const StageConfig& stage_;
  StageBuild& build_;
  std::vector<Reason>& notes_;
  const std::unique_ptr<CallSets> sets_;
  std::vector<Reason> case_notes_;  ///< about a case, with which they leave when it is rerun
  StageContext shared_;
  /// All cases of a submission on the same device, so that their times belong together.
  GpuPool::Lease lease_;
  /// Runs on the leased device, so it is gone before that is given back.
  StageProcess process_;
  bool is_process_shared_ = true;  ///< false when cases run again, each in a process of its own
  SkipPolicy skip_policy_;
  std::set<std::string> watched_networks_;
  std::map<std::string, Outcome> told_;
  std::future<void> started_;  ///< writes `process_`
};

}  // namespace opgrade
