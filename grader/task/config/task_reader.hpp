/// The `task` of a config: an exercise whose reference lies in the config's folder.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <memory>

#include "grader/base/files/yaml_reader.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {

/// Reads the mapping `task` of `root`, or that of the folder whose path it is. The task's id names
/// the state of all that decides a grade: the description and deciding_files(). Null, with
/// problems, if the task cannot be used.
std::shared_ptr<const FolderTask> read_task(const YAML::Node& root, ProblemList& problems);

/// The yaml file of the task that `root` grades, which stands in the file `of_root`.
std::filesystem::path file_of_task(const YAML::Node& root, const std::filesystem::path& of_root,
                                   const ProblemList& problems);

}  // namespace opgrade
