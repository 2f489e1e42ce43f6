#include "grader/config/config_task.hpp"

#include "grader/tasks/folder/folder_task.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {

const Task* find_task(const Config& config) {
  return config.task ? config.task.get() : find_task(config.interface);
}

const Task& task_of(const Config& config) {
  return config.task ? *config.task : *find_task(find_interface(config.interface).id);
}

const Interface& interface_of(const Config& config) {
  return config.task ? config.task->interfaces().front() : find_interface(config.interface);
}

}  // namespace opgrade
