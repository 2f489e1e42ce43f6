/// Grades as job arrays of Slurm. Result files in the shared folder are the truth, not Slurm's
/// memory of its jobs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "grader/core/events.hpp"
#include "grader/course/executor.hpp"
#include "grader/course/slurm.hpp"
#include "grader/course/slurm_run.hpp"

namespace opgrade::course {

/// Slurm's highest array index is 1000 by default (MaxArraySize 1001).
inline constexpr std::size_t kMaxArray = 1000;

struct SlurmOptions {
  SlurmSettings settings;
  RunFacts facts;
  bool resume_only = false;  ///< wait for the arrays of earlier calls, submit no others
  /// After an interrupt: true cancels the tasks, false leaves them to Slurm.
  std::function<bool(std::size_t tasks)> cancel_tasks = [](std::size_t) { return false; };
  Listener listen = [](const Event&) {};
};

class SlurmExecutor : public Executor {
 public:
  SlurmExecutor(Slurm slurm, SlurmOptions options)
      : slurm_(std::move(slurm)), options_(std::move(options)) {}

  /// Waits for arrays of earlier calls for the same jobs too, and cancels those that no job needs
  /// any more; arrays of other purposes stay. Jobs of failed machines are submitted again,
  /// `retries` times. One whose task ended before its result was there gets a grader fault as its
  /// result. While Slurm's controller is silent, nothing is concluded or submitted. When `done`
  /// throws, the tasks are cancelled; where the controller is silent then, they go on and the next
  /// call waits for them.
  std::vector<Undone> run(const std::string& purpose, const std::vector<GradingJob>& jobs,
                          const Begun& begun, const Done& done) override;

 private:
  Slurm slurm_;
  SlurmOptions options_;
};

/// The name of a course in its runs: the folder's path without links.
std::string course_name(const std::filesystem::path& folder);

/// Cancels the tasks that earlier calls for `course` submitted for `purpose`; finished results stay
/// in the shared folder. `slurm` is asked for only where there are such calls. Throws Error where
/// Slurm's controller does not answer: then the tasks go on.
void cancel_runs(const std::filesystem::path& shared, const std::string& course,
                 const std::string& purpose, const std::function<Slurm()>& slurm);

}  // namespace opgrade::course
