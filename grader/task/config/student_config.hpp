/// The config that students may have if an assignment uses one of the course's own.
#pragma once

#include <optional>
#include <string>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// The config without its hidden cases and references to them, as public_task() makes it. nullopt
/// if the config grades a task's folder, because students do not get its reference, or if it names
/// files of this machine.
std::optional<std::string> student_config(const Config& config);

}  // namespace opgrade
