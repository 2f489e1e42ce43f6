/// Grades as job arrays of Slurm. What is done is decided by the result files in the shared folder,
/// not by Slurm's memory of its jobs.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/events.hpp"
#include "grader/base/core/fd.hpp"
#include "grader/course/gradings/executor.hpp"
#include "grader/course/slurm/slurm.hpp"

namespace opgrade::course {

// A set of gradings in the folder that the nodes of a cluster share: submissions, config, batches
// and results. It has no database.

/// What the nodes' program needs besides the jobs.
struct RunFacts {
  std::string course;       ///< path of the course folder on the machine that collects the results
  std::string config_yaml;  ///< the effective config
  /// Relative names, each with the file to copy.
  std::map<std::string, std::filesystem::path> config_files;
  std::map<std::string, std::string> options;  ///< options of the nodes' command line
  /// Command line of a node's shell; run folder and batch number are appended.
  std::string command;
};

/// Jobs of one array task, in their order.
struct Batch {
  std::vector<std::size_t> jobs;  ///< indices
  int retries = 0;                ///< failures of machines before this batch
};

/// A lock on a file in the run's folder. It is held while sbatch runs, or from squeue to the end of
/// the run. The kernel releases it when the process ends.
using SubmitLock = Fd;

/// run.json. A job's `file` is relative to it; its `result` follows from its index.
struct RunFile {
  std::string course, purpose;
  std::map<std::string, std::string> options;
  std::vector<GradingJob> jobs;
};

class SlurmRun {
 public:
  /// Writes a new run below `shared`. Throws Error.
  static SlurmRun create(const std::filesystem::path& shared, const RunFacts& facts,
                         const std::string& purpose, const std::vector<GradingJob>& jobs);
  /// Reads a run. Throws Error if the folder holds none.
  static SlurmRun open(const std::filesystem::path& folder);
  /// The runs below `shared` that have not ended.
  static std::vector<SlurmRun> unfinished(const std::filesystem::path& shared);
  /// The runs below `shared`, including those that have ended.
  static std::vector<SlurmRun> all(const std::filesystem::path& shared);

  const std::filesystem::path& folder() const { return folder_; }
  std::string name() const { return folder_.filename().string(); }
  const std::string& course() const { return manifest_.course; }
  const std::string& purpose() const { return manifest_.purpose; }  ///< as given to Executor::run()
  const std::map<std::string, std::string>& options() const { return manifest_.options; }
  std::filesystem::path config() const { return folder_ / "config.yaml"; }
  std::filesystem::path script() const { return folder_ / "task.sh"; }
  /// Their `file` and `result` are paths in this folder.
  const std::vector<GradingJob>& jobs() const { return manifest_.jobs; }
  /// The folder for files that a job leaves besides its result; it may not exist. `archive` is the
  /// job's `file`. Throws std::out_of_range if no job has this file.
  std::filesystem::path files_of(const std::filesystem::path& archive) const;

  /// Adds batches. Returns the number of the first one.
  int add(const std::vector<Batch>& batches) const;
  std::vector<Batch> batches() const;

  /// Marks that a task has begun a job of the batch.
  void mark_begun(int batch, std::size_t job) const;
  bool has_begun(int batch, std::size_t job) const;

  std::filesystem::path log_of(const std::string& array, int index) const;

  /// Takes the lock that is needed to submit the run's arrays or to cancel them. nullopt if the run
  /// was removed.
  std::optional<SubmitLock> lock_submissions() const;

  /// Marks the run as ended. The folder stays, with its logs. The run's tasks begin no further job,
  /// and no array is submitted.
  void end() const;
  bool has_ended() const;
  void remove() const;

 private:
  explicit SlurmRun(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void read();

  std::filesystem::path folder_;
  RunFile manifest_;
};

/// The work of one array task: grades the jobs of its batch that have no result yet.
void run_batch(const SlurmRun& run, int batch, const GradeOne& grade);

/// Slurm's highest array index is 1000 by default (MaxArraySize 1001).
inline constexpr std::size_t kMaxArray = 1000;

struct SlurmOptions {
  SlurmSettings settings;
  RunFacts facts;
  bool resume_only = false;  ///< waits for the arrays of earlier calls and submits no others
  /// Called after an interrupt: true cancels the tasks, false leaves them to Slurm.
  std::function<bool(std::size_t tasks)> cancel_tasks = [](std::size_t) { return false; };
  Listener listen = [](const Event&) {};
  /// Called with each file that a job left besides its result, before `done` is called for the job.
  std::function<void(const std::filesystem::path&)> take_file = [](const auto&) {};
};

class SlurmExecutor : public Executor {
 public:
  SlurmExecutor(Slurm slurm, SlurmOptions options)
      : slurm_(std::move(slurm)), options_(std::move(options)) {}

  /// Waits also for arrays that earlier calls submitted for the same jobs, and cancels those that
  /// no job needs any more; arrays of other purposes stay. Jobs of failed machines are submitted
  /// again, up to `retries` times. A job whose task ended without a result gets a grader fault as
  /// its result. While Slurm's controller does not answer, no job is submitted or given up. If
  /// `done` throws, the tasks are cancelled; if the controller does not answer then, they go on and
  /// the next call waits for them.
  std::vector<Undone> run(const std::string& purpose, const std::vector<GradingJob>& jobs,
                          const Begun& begun, const Done& done) override;

 private:
  Slurm slurm_;
  SlurmOptions options_;
};

/// The name of a course in its runs: the path of its folder, with symbolic links resolved.
std::string course_name(const std::filesystem::path& folder);

/// Cancels the tasks that earlier calls for `course` submitted for a purpose for which `ends` is
/// true. Finished results stay in the shared folder. `slurm` is called only if there are such runs.
/// Throws Error if Slurm's controller does not answer: then the tasks go on.
void cancel_runs(const std::filesystem::path& shared, const std::string& course,
                 const std::function<bool(const std::string& purpose)>& ends,
                 const std::function<Slurm()>& slurm);

/// Cancels tasks like cancel_runs(), for purposes whose results no process waits for, and removes
/// the folders of runs without tasks. The folder of a run with cancelled tasks is removed by a
/// later call.
void remove_runs(const std::filesystem::path& shared, const std::string& course,
                 const std::function<bool(const std::string& purpose)>& ends,
                 const std::function<Slurm()>& slurm);

}  // namespace opgrade::course
