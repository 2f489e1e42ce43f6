/// Where gradings run: in this process, or as jobs of a cluster. A job is done when its result file
/// exists; nothing else is evidence.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/course/store/grading_job.hpp"
#include "grader/course/store/store.hpp"
#include "grader/grading/pipeline/grader_options.hpp"

namespace opgrade::course {

GradingJob job_for(const std::filesystem::path& course_folder, const Submission& submission,
                   const std::string& config_sha256, const std::string& version, int number);

/// A job without a result, through no fault of its submission.
struct Undone {
  GradingJob job;
  std::string why;
};

class Executor {
 public:
  /// Called when this process begins the job, by several threads. Not called for cluster jobs.
  using Begun = std::function<void(const GradingJob&)>;
  /// Called when the result file of this job exists.
  using Done = std::function<void(const GradingJob&)>;

  virtual ~Executor() = default;

  /// Runs the jobs until each has its result file or is among those returned. A job whose result
  /// file exists is not run. A grader fault is a result. `purpose` names the set of jobs; several
  /// sets may be open: an assignment's gradings, and each rejudge of them. `done` is called by one
  /// thread at a time; if it throws, no further job is begun. Throws Interrupted on Ctrl-C, and
  /// Error if no job can be run. Finished results stay.
  virtual std::vector<Undone> run(const std::string& purpose, const std::vector<GradingJob>& jobs,
                                  const Begun& begun, const Done& done) = 0;
};

using GradeOne =
    std::function<Grade(const std::filesystem::path& file, const std::string& name, GradedAt at)>;

/// Grades in this process, on `threads` threads. Several threads may call run() at once. A job for
/// which `waits` returns a reason is not begun.
class LocalExecutor : public Executor {
 public:
  using Waits = std::function<std::string(const GradingJob&)>;
  explicit LocalExecutor(
      GradeOne grade, int threads = 1, Waits waits = [](const GradingJob&) { return ""; })
      : grade_(std::move(grade)), threads_(threads), waits_(std::move(waits)) {}
  std::vector<Undone> run(const std::string& purpose, const std::vector<GradingJob>& jobs,
                          const Begun& begun, const Done& done) override;

 private:
  GradeOne grade_;
  int threads_;
  Waits waits_;
};

/// The result of a job during which the grader failed.
Grade fault_of(const GradingJob& job, const std::string& why);

/// Grades one job and writes its result file, unless the file exists. If the archive has changed
/// since hand-in, the result is a grader fault. Throws Error if the result has another config or
/// version than the job.
void run_job(const GradingJob& job, const GradeOne& grade);

}  // namespace opgrade::course
