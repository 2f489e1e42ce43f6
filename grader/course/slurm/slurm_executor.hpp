/// Grades as job arrays of Slurm. Result files in the shared folder are the truth, not Slurm's
/// memory of its jobs.
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
// and results. No database is there.

/// Settings of the nodes' program beside the jobs, and staff's words for it.
struct RunFacts {
  std::string course;       ///< path of the course folder, as the collector names it
  std::string config_yaml;  ///< the effective config
  std::map<std::string, std::filesystem::path> config_files;  ///< relative names to their source
  std::map<std::string, std::string> options;                 ///< of the nodes' command line
  std::string command;  ///< of a node's shell; run folder and batch number are appended
};

/// Jobs of one array task, in their order.
struct Batch {
  std::vector<std::size_t> jobs;  ///< indices
  int retries = 0;                ///< failures of machines before it
};

/// Held from before sbatch to after it, or from squeue to the end of the run. A lock on a file of
/// the run's folder; the kernel frees it with the process.
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
  /// Throws Error where the folder holds no run.
  static SlurmRun open(const std::filesystem::path& folder);
  /// The runs below `shared` that have not ended.
  static std::vector<SlurmRun> unfinished(const std::filesystem::path& shared);
  /// Also those that have ended.
  static std::vector<SlurmRun> all(const std::filesystem::path& shared);

  const std::filesystem::path& folder() const { return folder_; }
  std::string name() const { return folder_.filename().string(); }
  const std::string& course() const { return manifest_.course; }
  const std::string& purpose() const { return manifest_.purpose; }  ///< as the executor's
  const std::map<std::string, std::string>& options() const { return manifest_.options; }
  std::filesystem::path config() const { return folder_ / "config.yaml"; }
  std::filesystem::path script() const { return folder_ / "task.sh"; }
  /// `file` and `result` are those in this folder.
  const std::vector<GradingJob>& jobs() const { return manifest_.jobs; }
  /// The folder, which may be missing, of what a job leaves besides its result. `archive` is its
  /// `file`. Throws std::out_of_range for the file of no job.
  std::filesystem::path files_of(const std::filesystem::path& archive) const;

  /// Adds batches; gives the number of the first.
  int add(const std::vector<Batch>& batches) const;
  std::vector<Batch> batches() const;

  /// A task writes the mark when it begins a job.
  void mark_begun(int batch, std::size_t job) const;
  bool has_begun(int batch, std::size_t job) const;

  std::filesystem::path log_of(const std::string& array, int index) const;

  /// To submit its arrays or to cancel them. Nothing where the run is gone.
  std::optional<SubmitLock> lock_submissions() const;

  /// The folder stays, with its logs, and is no unfinished run any more. Its tasks begin no further
  /// job, and no array is submitted.
  void end() const;
  bool has_ended() const;
  void remove() const;

 private:
  explicit SlurmRun(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void read();

  std::filesystem::path folder_;
  RunFile manifest_;
};

/// Work of one array task: grades the jobs of its batch that have no result yet.
void run_batch(const SlurmRun& run, int batch, const GradeOne& grade);

/// Slurm's highest array index is 1000 by default (MaxArraySize 1001).
inline constexpr std::size_t kMaxArray = 1000;

struct SlurmOptions {
  SlurmSettings settings;
  RunFacts facts;
  bool resume_only = false;  ///< wait for the arrays of earlier calls, submit no others
  /// After an interrupt: true cancels the tasks, false leaves them to Slurm.
  std::function<bool(std::size_t tasks)> cancel_tasks = [](std::size_t) { return false; };
  Listener listen = [](const Event&) {};
  /// Gets each file that a job left besides its result, before the job is done.
  std::function<void(const std::filesystem::path&)> take_file = [](const auto&) {};
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

/// Cancels the tasks that earlier calls for `course` submitted for a purpose that `ends`; finished
/// results stay in the shared folder. `slurm` is asked for only if there are such calls. Throws
/// Error if Slurm's controller does not answer: then the tasks go on.
void cancel_runs(const std::filesystem::path& shared, const std::string& course,
                 const std::function<bool(const std::string& purpose)>& ends,
                 const std::function<Slurm()>& slurm);

/// The same for purposes whose results no process waits for. The folder of a run without tasks
/// goes, that of a cancelled one with a later call.
void remove_runs(const std::filesystem::path& shared, const std::string& course,
                 const std::function<bool(const std::string& purpose)>& ends,
                 const std::function<Slurm()>& slurm);

}  // namespace opgrade::course
