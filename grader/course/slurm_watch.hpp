/// One run on a Slurm cluster: its job arrays are submitted, watched and, after a fault of a
/// machine, submitted again.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "grader/course/executor.hpp"
#include "grader/course/slurm.hpp"
#include "grader/course/slurm_executor.hpp"
#include "grader/course/slurm_run.hpp"

namespace opgrade::course {

/// A run's tasks and what became of its jobs.
class SlurmWatch {
 public:
  SlurmWatch(SlurmRun run, std::map<std::size_t, GradingJob> wanted, const Slurm& slurm,
             const SlurmOptions& options);

  const SlurmRun& run() const { return run_; }
  bool is_done() const { return open_.empty(); }
  bool has_undone() const { return !undone_.empty(); }
  std::vector<Undone> take_undone() { return std::move(undone_); }

  /// All jobs, in batches.
  void submit_all();

  void collect(const Executor::Done& done);

  /// Submits arrays again to which sbatch gave no answer, unless Slurm has them.
  void submit_unanswered(const std::vector<SlurmTask>& all);

  /// Looks for tasks that ended without a result.
  void settle(const std::vector<SlurmTask>& all);

  std::vector<SlurmTask> alive(const std::vector<SlurmTask>& all) const;

 private:
  /// Batches from `first` on, as one job array.
  struct Array {
    std::size_t first = 0, count = 0;
  };

  std::string name_of_array(std::size_t first) const;
  bool is_unanswered(int batch) const;
  std::string name_prefix() const;

  /// By batch: the name tells the first batch of an array.
  std::map<int, SlurmTask> tasks_of(const std::vector<SlurmTask>& all) const;

  /// -1 where none has it, after a kill before its batch was written.
  int last_batch(std::size_t job) const;

  void submit(const std::vector<Batch>& batches);

  enum class Submitted { taken, unanswered, cancelled };
  Submitted submit_array(const Array& array);

  void settle_batch(int batch, const std::vector<std::size_t>& jobs, const SlurmTask* task,
                    TaskEnd end, std::vector<Batch>& again);

  void give_up(const std::vector<std::size_t>& jobs, const std::string& why);

  SlurmRun run_;
  std::map<std::size_t, GradingJob> open_;  ///< the run's index, the course's job
  const Slurm& slurm_;
  const SlurmOptions& options_;
  std::vector<Batch> batches_;
  std::map<int, int> looks_;
  std::vector<Array> unanswered_;
  std::vector<Undone> undone_;
};

}  // namespace opgrade::course
