#include "grader/tasks/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include "grader/core/error.hpp"
#include "grader/tasks/folder/folder_task.hpp"
#include "task_table.hpp"  // generated: kTasks

namespace opgrade {

namespace {

/// Never emptied: configs name them by their ids.
struct FolderTasks {
  std::mutex guard;
  std::vector<std::unique_ptr<FolderTask>> all;

  const FolderTask* find(std::string_view id) {
    const std::scoped_lock lock(guard);
    const auto found = std::ranges::find(all, id, [](const auto& task) { return task->id(); });
    return found != all.end() ? found->get() : nullptr;
  }
};

FolderTasks& folder_tasks() {
  static FolderTasks tasks;
  return tasks;
}

}  // namespace

void add_folder_task(TaskDescription description, const std::string& id) {
  auto task = std::make_unique<FolderTask>(std::move(description), id);
  FolderTasks& known = folder_tasks();
  if (known.find(id) != nullptr) return;
  const std::scoped_lock lock(known.guard);
  known.all.push_back(std::move(task));
}

std::span<const Task* const> tasks() {
  static const auto all = task_table();
  return all;
}

std::span<const Interface> interfaces() {
  static const std::vector<Interface> all = [] {
    std::vector<Interface> list;
    for (const Task* task : tasks())
      list.insert(list.end(), task->interfaces().begin(), task->interfaces().end());
    return list;
  }();
  return all;
}

const Interface& find_interface(std::string_view id) {
  if (const FolderTask* const task = folder_tasks().find(id)) return task->interfaces().front();
  std::string known;
  for (const auto& candidate : interfaces()) {
    if (candidate.id == id) return candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate.id);
  }
  throw UsageError(fmt::format("unknown interface '{}'", id), "known are: " + known);
}

const Task& task_of(const Interface& interface) {
  if (const FolderTask* const task = folder_tasks().find(interface.task)) return *task;
  const auto found = std::ranges::find(tasks(), interface.task, &Task::id);
  if (found == tasks().end())
    throw Error(fmt::format("interface {} names no task: '{}'", interface.id, interface.task),
                "mend the table of the task's interfaces");
  return **found;
}

const Task* find_task(std::string_view interface_id) {
  if (const FolderTask* const task = folder_tasks().find(interface_id)) return task;
  const auto found = std::ranges::find(interfaces(), interface_id, &Interface::id);
  return found != interfaces().end() ? &task_of(*found) : nullptr;
}

std::span<const std::string_view> adapter_files() { return adapter_table; }

}  // namespace opgrade
