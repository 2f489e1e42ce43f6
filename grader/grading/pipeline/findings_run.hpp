/// Runs the watched cases of a stage on the emulated device while a GPU grades the stage.
#pragma once

#include <future>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/cases/case_run.hpp"
#include "grader/grading/cases/verdict/emulated_findings.hpp"
#include "grader/grading/intake/intake.hpp"
#include "grader/grading/pipeline/grading_bench.hpp"
#include "grader/grading/pipeline/stage_build.hpp"
#include "grader/task/config/stage_case.hpp"

namespace opgrade {

/// The role of the emulated device's findings for a stage that runs on `device`. Returns nullopt if
/// no FindingsRun is needed, because the stage does not run on a GPU or its findings only warn.
std::optional<FindingsRole> findings_on_gpu(Device device, const Config& config);

/// Not safe to use from several threads at once.
class FindingsRun {
 public:
  /// `ids` names cases of the stage; watched_cases() chooses those that run. All arguments must
  /// outlive the object.
  FindingsRun(const GradingBench& bench, const StageConfig& stage, const TakenFiles& files,
              std::vector<std::string> ids);
  ~FindingsRun();

  /// Starts a thread if a core is free. Otherwise end() does the work, when the GPU has finished.
  void start();

  /// Waits for a core and for the run. Returns what was found, by the id of the case.
  const std::map<std::string, EmulatedFindings>& end();

 private:
  /// The submission on the emulated device.
  struct Emulated {
    Emulated(const GradingBench& bench, const StageConfig& stage, const TakenFiles& files);

    StageBuild build;
    const StageContext context;
  };

  void watch_all();
  EmulatedFindings watch(const std::string& id);
  JudgedCase watched(const Case& c);

  const GradingBench& bench_;
  const StageConfig& stage_;
  const TakenFiles& files_;
  const std::vector<std::string> ids_;
  std::optional<Emulated> emulated_;  ///< set when a case is watched
  std::map<std::string, EmulatedFindings> found_;
  std::future<void> run_;
};

/// The cases among `ids` in which the emulated device checks every access: the small ones, and the
/// smallest of each network. `models`: null if no task has any.
std::vector<std::string> watched_cases(Models* models, const Config& config,
                                       const StageConfig& stage,
                                       const std::vector<std::string>& ids);

/// Adds what was found to the stage's report, and a note on what was left out to `notes`.
/// Returns the cases whose outcome changed.
std::vector<const CaseReport*> add_found(StageReport& report,
                                         const std::map<std::string, EmulatedFindings>& found,
                                         FindingsRole role, std::vector<Note>& notes);

}  // namespace opgrade
