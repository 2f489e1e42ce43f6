/// The part of course.yaml that says how Slurm runs gradings.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
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

}  // namespace opgrade::course
