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
  std::string gpus;  ///< of each task, as sbatch --gpus-per-node takes it: 1, a40:1
  bool exclusive = false;
  std::chrono::seconds time{0};   ///< of one task, thus of `batch` submissions; 0: the partition's
  std::int64_t memory_bytes = 0;  ///< of one task; 0: the partition's
  int cpus = 0;                   ///< of one task; 0: Slurm's
  int at_once = 0;                ///< running tasks of an array; 0: any number
  int batch = 8;                  ///< submissions that one task grades
  int retries = 2;                ///< after a failed node, a preemption or a failed boot
  std::chrono::milliseconds poll{5000};  ///< between two questions to Slurm
};

/// The options of sbatch that the settings stand for.
std::vector<std::string> sbatch_options(const SlurmSettings& settings);

/// One task of a job array.
struct SlurmTask {
  std::string array;  ///< the array's job id
  int index = 0;      ///< in the array, from 0
  std::string name;   ///< --job-name
  std::string state;  ///< as squeue's %T: RUNNING
  std::string node;
  std::string reason;
};

/// How far a task is.
enum class TaskEnd {
  alive,      ///< waits, runs or is about to end
  machine,    ///< failed node, preemption, failed boot: to be tried again
  cancelled,  ///< by staff or an administrator
  ended,      ///< by itself, by its time limit or for its memory
};
TaskEnd task_end(std::string_view state);

/// The calls, so that tests can have a cluster of their own.
struct Slurm {
  /// sbatch with these arguments; gives the array's job id. Nothing when the controller does not
  /// answer, though it may have taken the array. Throws Error when it refuses the array.
  std::function<std::optional<std::string>(const std::vector<std::string>& arguments)> submit;
  /// This user's tasks, ended ones too as long as Slurm knows them. Nothing when the controller
  /// does not answer.
  std::function<std::optional<std::vector<SlurmTask>>()> tasks;
  /// False when the controller does not answer.
  std::function<bool(const std::vector<std::string>& arrays)> cancel;
};

/// The commands of this machine. Throws Error where there are none.
Slurm slurm_commands();

/// True where a command's output tells that the controller could not be asked.
bool is_silence(std::string_view output);

/// The lines of `squeue --format=%F|%K|%j|%T|%N|%r`; others are left out.
std::vector<SlurmTask> parse_squeue(const std::string& text);

}  // namespace opgrade::course
