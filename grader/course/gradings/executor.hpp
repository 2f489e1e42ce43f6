/// Where gradings run: in this process, or as jobs of a cluster. A job leads to one result file,
/// and that file alone proves that the job was done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/course/store/store.hpp"
#include "grader/grading/pipeline/grader_options.hpp"

namespace opgrade::course {

/// One grading to be made. Submission, config, version and number are the key of the attempt.
struct GradingJob {
  std::int64_t submission = 0;  ///< Submission::id
  std::string owner;            ///< Submission::owner
  std::string sha256;           ///< of the archive
  std::filesystem::path file;   ///< the archive
  std::string config_sha256, version;
  int number = 1;                ///< Attempt::number
  std::filesystem::path result;  ///< the report.json to be written
  std::filesystem::path root;    ///< the folder above `file` and `result`, which is there
  bool at_deadline = false;      ///< also the cases that hand-ins leave out

  GradedAt graded_at() const { return at_deadline ? GradedAt::deadline : GradedAt::hand_in; }
};

GradingJob job_for(const std::filesystem::path& course_folder, const Submission& submission,
                   const std::string& config_sha256, const std::string& version, int number);

/// A job that came to no result, which is no fault of its submission.
struct Undone {
  GradingJob job;
  std::string why;
};

class Executor {
 public:
  /// This process begins the job. Called by several threads. Jobs of a cluster do not tell.
  using Begun = std::function<void(const GradingJob&)>;
  /// The result file of this job is there.
  using Done = std::function<void(const GradingJob&)>;

  virtual ~Executor() = default;

  /// `purpose` names a set of jobs, of which several may be open: an assignment's gradings, and
  /// each rejudge of it. Comes back when each job has its result file or is among those returned. A
  /// job whose file is there already is not run. A grader fault is a result. `done` is called by
  /// one thread at a time; when it throws, no further job is begun. Throws Interrupted on Ctrl-C,
  /// and Error where no job can be run. Finished results stay.
  virtual std::vector<Undone> run(const std::string& purpose, const std::vector<GradingJob>& jobs,
                                  const Begun& begun, const Done& done) = 0;
};

using GradeOne =
    std::function<Grade(const std::filesystem::path& file, const std::string& name, GradedAt at)>;

/// Grades in this process, on `threads` threads. Several threads may call run() at once. A job for
/// which `waits` gives a reason is not begun.
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

/// The result of a job that the grader failed on.
Grade fault_of(const GradingJob& job, const std::string& why);

/// Grades one job and writes its result file, unless it is there. An archive that is not the one
/// handed in is a grader fault. Throws Error where the result has another config or version than
/// the job.
void run_job(const GradingJob& job, const GradeOne& grade);

}  // namespace opgrade::course
