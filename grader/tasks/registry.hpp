/// All tasks: each folder of grader/tasks with a task.cpp is one.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "grader/task/interface.hpp"
#include "grader/task/task.hpp"

namespace opgrade {

std::span<const Task* const> tasks();

/// The interfaces of all tasks.
std::span<const Interface> interfaces();

/// Throws UsageError naming the known ones.
const Interface& find_interface(std::string_view id);

/// The task that an interface is to.
const Task& task_of(const Interface& interface);

/// The task of the interface of that name; null where there is no such interface.
const Task* find_task(std::string_view interface_id);

/// All files that builds with the interface read, below share/opgrade/adapters.
std::vector<std::string> adapter_files(const Interface& interface);

}  // namespace opgrade
