/// The tasks that a config grades. What is returned lives as long as the config or a copy of it.
///
/// Each stage has a task: its own, or the config's. The modules that grade ask for the task of a
/// stage, so a config of several exercises needs no special case.
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

/// Throws UsageError naming the known interfaces. So does interface_of().
const Task& task_of(const Config& config, const StageConfig& stage);

const Interface& interface_of(const Config& config, const StageConfig& stage);

/// Null if the stage's task is opgrade's own and not a lecturer's folder.
const FolderTask* folder_task_of(const Config& config, const StageConfig& stage);

/// The folder tasks of all stages, each once, in the order of the stages.
std::vector<std::shared_ptr<const FolderTask>> folder_tasks(const Config& config);

/// The first task that has networks, whose models the config may name; null if none has.
const Task* task_with_networks(const Config& config);

/// For a config of a single task; else the task of the stages that have none of their own.
const Task& task_of(const Config& config);
const Interface& interface_of(const Config& config);

/// The stages of one task that take their files from one folder of a submission.
struct Exercise {
  std::string folder;  ///< empty: the submission's top
  Config config;       ///< with these stages only; their task is the config's
};

/// In the order of their first stages. A config of a single task is one exercise.
std::vector<Exercise> exercises_of(const Config& config);

/// The path of a stage's file in a submission: "scan/scan.cu".
std::string in_folder(const std::string& folder, const std::string& file);

}  // namespace opgrade
