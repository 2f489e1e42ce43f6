#include "grader/task/config/config_task.hpp"

#include <algorithm>

#include "grader/task/config/registry.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {
namespace {

const std::string& interface_name(const Config& config, const StageConfig& stage) {
  return stage.interface.empty() ? config.interface : stage.interface;
}

}  // namespace

const FolderTask* folder_task_of(const Config& config, const StageConfig& stage) {
  return stage.interface.empty() ? config.task.get() : stage.task.get();
}

const Task* find_task(const Config& config, const StageConfig& stage) {
  if (const FolderTask* const task = folder_task_of(config, stage)) return task;
  return find_task(interface_name(config, stage));
}

const Task& task_of(const Config& config, const StageConfig& stage) {
  if (const FolderTask* const task = folder_task_of(config, stage)) return *task;
  return *find_task(find_interface(interface_name(config, stage)).id);
}

const Interface& interface_of(const Config& config, const StageConfig& stage) {
  if (const FolderTask* const task = folder_task_of(config, stage))
    return task->interfaces().front();
  return find_interface(interface_name(config, stage));
}

std::vector<std::shared_ptr<const FolderTask>> folder_tasks(const Config& config) {
  std::vector<std::shared_ptr<const FolderTask>> tasks;
  const auto add = [&](const std::shared_ptr<const FolderTask>& task) {
    if (task && std::ranges::find(tasks, task) == tasks.end()) tasks.push_back(task);
  };
  if (config.stages.empty()) add(config.task);
  for (const StageConfig& stage : config.stages)
    add(stage.interface.empty() ? config.task : stage.task);
  return tasks;
}

const Task* task_with_networks(const Config& config) {
  for (const StageConfig& stage : config.stages)
    if (const Task& task = task_of(config, stage); task.has_networks()) return &task;
  return nullptr;
}

const Task& task_of(const Config& config) { return task_of(config, StageConfig()); }

const Interface& interface_of(const Config& config) { return interface_of(config, StageConfig()); }

std::vector<Exercise> exercises_of(const Config& config) {
  std::vector<Exercise> all;
  for (const StageConfig& stage : config.stages) {
    const std::string folder = stage.folder == "." ? "" : stage.folder;
    const auto same = std::ranges::find_if(all, [&](const Exercise& one) {
      return one.folder == folder && one.config.interface == interface_name(config, stage);
    });
    if (same != all.end()) {
      same->config.stages.push_back(stage);
      continue;
    }
    Exercise& one = all.emplace_back(Exercise{folder, config});
    one.config.stages = {stage};
    if (stage.interface.empty()) continue;
    one.config.interface = stage.interface;
    one.config.task = stage.task;
  }
  if (all.empty()) all.push_back({"", config});
  return all;
}

std::string in_folder(const std::string& folder, const std::string& file) {
  return folder.empty() || folder == "." ? file : folder + "/" + file;
}

}  // namespace opgrade
