/// Whether the networks' images are there, or can be made.
#pragma once

#include <filesystem>

#include "grader/task/task.hpp"

namespace opgrade {

Requirement data_requirement(const std::filesystem::path& data_folder);

}  // namespace opgrade
