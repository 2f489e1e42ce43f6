/// All tasks: each folder of grader/tasks with a task.cpp is one, and folders that lecturers wrote.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/task/interface.hpp"
#include "grader/task/task.hpp"
#include "grader/tasks/folder/description.hpp"

namespace opgrade {

/// Those of opgrade itself.
std::span<const Task* const> tasks();

/// Their interfaces.
std::span<const Interface> interfaces();

/// Throws UsageError naming the known ones.
const Interface& find_interface(std::string_view id);

/// Makes a folder's task known: find_interface() then has `id`, which names this state of the
/// folder. Does nothing for one that is known. Throws std::invalid_argument with what is wrong in
/// the description. Safe to call from several threads, as all functions here.
void add_folder_task(TaskDescription description, const std::string& id);

/// The task that an interface is to.
const Task& task_of(const Interface& interface);

/// The task of the interface of that name; null where there is no such interface.
const Task* find_task(std::string_view interface_id);

/// All files below share/opgrade/adapters.
std::span<const std::string_view> adapter_files();

}  // namespace opgrade
