/// The `task` of a config: an exercise whose reference lies in the config's folder.
#pragma once

#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>

#include "grader/files/yaml_reader.hpp"

namespace opgrade {

/// Reads the mapping `task` of `root`, or that of the folder whose path it is, and makes the task
/// known. Returns the id of its interface, which names the state of all that decides a grade: the
/// description and deciding_files(). Nothing, with problems, where the task cannot be used.
std::optional<std::string> read_task(const YAML::Node& root, ProblemList& problems);

}  // namespace opgrade
