/// The tasks that a config grades. What is returned lives as long as the config or a copy of it.
///
/// Each stage has a task: its own, or the config's. So the modules that grade ask by stage, and a
/// config of several exercises is no other case than one of a single task.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "grader/task/config/config.hpp"
#include "grader/task/interface/interface.hpp"
#include "grader/task/interface/task.hpp"

namespace opgrade {

/// Null if opgrade has no interface of that name.
const Task* find_task(const Config& config, const StageConfig& stage);

/// Throws UsageError naming the known interfaces, as interface_of() does.
const Task& task_of(const Config& config, const StageConfig& stage);

const Interface& interface_of(const Config& config, const StageConfig& stage);

/// Of a lecturer's folder; null for a task of opgrade itself.
const FolderTask* folder_task_of(const Config& config, const StageConfig& stage);

/// Those of all stages, each once, in their order.
std::vector<std::shared_ptr<const FolderTask>> folder_tasks(const Config& config);

/// The first one that has networks, whose models the config may name; null if none has.
const Task* task_with_networks(const Config& config);

/// Of a config without several exercises, or that of the stages that have none of their own.
const Task& task_of(const Config& config);
const Interface& interface_of(const Config& config);

/// The stages of one task that take their files from one folder of a submission.
struct Exercise {
  std::string folder;  ///< empty: the submission's own
  Config config;       ///< with these stages alone, of which the task is the config's
};

/// In the order of their first stages; one for a config of a single task.
std::vector<Exercise> exercises_of(const Config& config);

/// "scan/scan.cu": the path of a file of a stage in a submission.
std::string in_folder(const std::string& folder, const std::string& file);

}  // namespace opgrade
