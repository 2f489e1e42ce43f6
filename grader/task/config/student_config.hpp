/// The config that students may have of an assignment whose config is the course's own.
#pragma once

#include <optional>
#include <string>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// The config without its hidden cases and what refers to them, as public_task(). Nothing if it
/// grades a task's folder, whose reference students do not get, or with files of this machine.
std::optional<std::string> student_config(const Config& config);

}  // namespace opgrade
