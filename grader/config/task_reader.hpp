/// The `task` of a config: an exercise whose reference lies in the config's folder.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>

#include "grader/config/yaml_reader.hpp"

namespace opgrade {

/// The file's name in a folder that stands for a config.
inline constexpr const char* kTaskFile = "task.yaml";

/// Reads the mapping `task` of `root` and makes the task known. Returns the id of its interface,
/// which names the state of all that decides a grade: description, reference.cpp and solution/.
/// Nothing, with problems, where the task cannot be used.
std::optional<std::string> read_task(const YAML::Node& root, ProblemList& problems);

}  // namespace opgrade
