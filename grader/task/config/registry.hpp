/// The tasks of opgrade itself: each module of grader/task with a task.cpp is one.
#pragma once

#include <span>
#include <string_view>

#include "grader/task/interface/interface.hpp"
#include "grader/task/interface/task.hpp"

namespace opgrade {

std::span<const Task* const> tasks();

/// The interfaces of these tasks.
std::span<const Interface> interfaces();

/// Throws UsageError naming the known interfaces.
const Interface& find_interface(std::string_view id);

/// The task that has the interface of that id; null if there is no such interface.
const Task* find_task(std::string_view interface_id);

/// All files below share/opgrade/adapters.
std::span<const std::string_view> adapter_files();

}  // namespace opgrade
