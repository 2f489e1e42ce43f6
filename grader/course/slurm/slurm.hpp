/// Slurm's commands: sbatch, squeue, scancel, in the forms that stay the same between releases, and
/// the part of course.yaml that says how Slurm runs gradings.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade::course {

struct SlurmSettings {
  std::filesystem::path shared;  ///< a folder that this machine and all nodes see
  std::string partition, account, qos, constraint;
  std::string gpus;  ///< GPUs of each task, written as for sbatch --gpus-per-node: 1, a40:1
  bool exclusive = false;
  /// Time limit of one task, thus of `batch` submissions; 0: the partition's.
  std::chrono::seconds time{0};
  std::int64_t memory_bytes = 0;  ///< memory of one task; 0: the partition's
  int cpus = 0;                   ///< CPUs of one task; 0: Slurm's
  int at_once = 0;                ///< most running tasks of an array; 0: any number
  int batch = 8;                  ///< submissions that one task grades
  int retries = 2;                ///< new tries after a failed node, a preemption or a failed boot
  std::chrono::milliseconds poll{5000};  ///< time between two queries to Slurm
};

/// The options of sbatch for these settings.
std::vector<std::string> sbatch_options(const SlurmSettings& settings);

/// One task of a job array.
struct SlurmTask {
  std::string array;  ///< the array's job id
  int index = 0;      ///< the task's index in the array, from 0
  std::string name;   ///< --job-name
  std::string state;  ///< as squeue prints %T: RUNNING
  std::string node;
  std::string reason;
};

/// Whether a task has ended, and what ended it.
enum class TaskEnd {
  alive,      ///< it waits, runs or is about to end
  machine,    ///< a failed node, a preemption or a failed boot ended it: to be tried again
  cancelled,  ///< staff or an administrator cancelled it
  ended,      ///< it ended by itself, by its time limit or for its memory
};
TaskEnd task_end(std::string_view state);

/// Calls to Slurm, which tests replace by a cluster of their own.
struct Slurm {
  /// Runs sbatch with these arguments. Returns the array's job id, or nullopt if the controller
  /// does not answer; it may have accepted the array even then. Throws Error if it refuses the
  /// array.
  std::function<std::optional<std::string>(const std::vector<std::string>& arguments)> submit;
  /// Returns this user's tasks, with ended ones as long as Slurm knows them. nullopt if the
  /// controller does not answer.
  std::function<std::optional<std::vector<SlurmTask>>()> tasks;
  /// Cancels these arrays. Returns false if the controller does not answer.
  std::function<bool(const std::vector<std::string>& arrays)> cancel;
};

/// Slurm's commands on this machine. Throws Error if there are none.
Slurm slurm_commands();

/// True if a command's output says that the controller could not be reached.
bool is_silence(std::string_view output);

/// Reads the output of `squeue --format=%F|%K|%j|%T|%N|%r`. Other lines are ignored.
std::vector<SlurmTask> parse_squeue(const std::string& text);

}  // namespace opgrade::course
