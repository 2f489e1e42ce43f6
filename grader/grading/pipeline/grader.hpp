/// Grades one submission from its folder or archive to its points: intake, build, run, check,
/// score.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/cases/layer/tensor_store.hpp"
#include "grader/grading/intake/stage_files.hpp"
#include "grader/grading/pipeline/device_self_test.hpp"
#include "grader/grading/pipeline/earlier_run.hpp"
#include "grader/grading/pipeline/grader_options.hpp"
#include "grader/grading/pipeline/machine.hpp"
#include "grader/grading/pipeline/reference_times.hpp"
#include "grader/grading/pipeline/selection.hpp"
#include "grader/grading/pipeline/set_cache.hpp"
#include "grader/grading/pipeline/spare_cores.hpp"
#include "grader/grading/pipeline/stage_cases.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/interface/model.hpp"

namespace opgrade {

/// Safe to use from several threads at once; timed runs take turns, also between processes.
class Grader {
 public:
  /// Finds out what the machine can do. Throws Error if it cannot grade with this config at all,
  /// UsageError if that is the config's fault or that of `only`. `references` may come from another
  /// grader of the same tasks; the grader starts those that are missing.
  Grader(Config config, GraderOptions options, References references = {});
  ~Grader();

  /// Never throws for what the submission does. A failure of the grader in one case is that case's
  /// outcome grader_fault. Cases that `earlier` ran alike are taken from it, with the points of
  /// now. `finished` is the last grade that GraderOptions::keep_finished got of an interrupted
  /// grading: its cases do not run again, if the new grading is the same.
  Grade grade(const std::filesystem::path& submission, const std::string& name,
              const std::optional<EarlierRun>& earlier = std::nullopt,
              const std::optional<Grade>& finished = std::nullopt,
              GradedAt at = GradedAt::deadline);
  Grade grade(const std::filesystem::path& submission, const std::string& name, GradedAt at) {
    return grade(submission, name, std::nullopt, std::nullopt, at);
  }

  /// True if grade() would take every case from `earlier`, and run none.
  bool only_scores(const std::filesystem::path& submission, const EarlierRun& earlier);

  const Config& config() const { return config_; }
  const std::string& config_sha256() const { return config_sha256_; }

  /// True if `grade`, which is no grader fault, has the current files, and this grader's config,
  /// opgrade, cases, devices and random numbers.
  bool is_current(const Grade& grade, const std::filesystem::path& submission) const;

  /// A text that is equal for submissions with the same files in the same folders; empty if no
  /// files can be taken.
  std::string files_of(const std::filesystem::path& submission) const;

  /// The references of lecturers' tasks.
  const References& references() const { return references_; }

  /// The reference of `task`, built so that memory which it does not set holds other bytes; null if
  /// the compiler cannot do that.
  std::shared_ptr<ReferenceCode> reference_with_poison(const FolderTask& task) const;

  /// The names of the files that the requested tool will write; empty if there is no such tool.
  std::vector<std::string> tool_files() const;

  /// The random cases' seed, equal for all submissions; nullopt if no random case is selected.
  std::optional<std::uint64_t> seed() const;

 private:
  /// A grading before its first stage.
  struct Begun {
    Grade grade;
    StageFiles files;
    std::exception_ptr unread;  ///< why there are no files
  };
  Begun begin(const std::filesystem::path& submission, const std::string& name) const;
  bool may_take(const EarlierRun& earlier, const Grade& now) const;

  /// Build, run, check, score.
  StageReport grade_stage(const StageConfig& stage, const tl::expected<TakenFiles, Refusal>& files,
                          const std::string& submission, GradedAt at, const EarlierRun* earlier,
                          const FinishedCases& finished, std::vector<Note>& notes);
  std::optional<StageReport> stage_taken_from(const EarlierRun& earlier, const StageConfig& stage,
                                              Device device, std::vector<Note>& notes);
  StageReport fault_of(const StageConfig& stage, const std::exception& fault) const;
  void list_cases(const StageConfig& stage, const CaseReport& prototype, StageReport& report) const;
  void score(const StageConfig& stage, const std::string& submission, StageReport& report);
  bool wants_gpu() const;
  void load_models();
  SetCache* sets_for(const StageConfig& stage) const;

  Config config_;
  std::string config_sha256_;
  GraderOptions options_;
  std::uint64_t seed_;
  Selection selection_;
  Machine machine_;
  std::unique_ptr<Models> models_;  ///< null if the task has none
  TensorStore tensors_;
  /// The inputs that submissions share, by the ids of tasks; empty if they share none.
  std::map<std::string, std::unique_ptr<SetCache>, std::less<>> sets_;
  DeviceSelfTest control_{config_, machine_.tools(), machine_.sandbox()};
  const References references_;
  SpareCores cores_;
  RankSoFar ranked_;
  GradingBench bench_;
  ReferenceTimes reference_times_{bench_};
};

}  // namespace opgrade
