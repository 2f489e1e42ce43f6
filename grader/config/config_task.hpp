/// The task that a config grades. What is returned lives as long as the config or a copy of it.
#pragma once

#include "grader/config/config.hpp"
#include "grader/task/interface.hpp"
#include "grader/task/task.hpp"

namespace opgrade {

/// Null if opgrade has no interface of the config's name.
const Task* find_task(const Config& config);

/// Throws UsageError naming the known interfaces, as interface_of() does.
const Task& task_of(const Config& config);

const Interface& interface_of(const Config& config);

}  // namespace opgrade
