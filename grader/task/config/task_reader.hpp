/// Reads the `task` of a config: an exercise whose reference lies in the config's folder.
#pragma once

#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <memory>

#include "grader/base/files/yaml_reader.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {

/// Reads the mapping `task` of `root`, or that of the folder if `task` is a path. The task's id is
/// a hash of everything that decides a grade: the description and deciding_files(). Null, with
/// problems, if the task cannot be used.
std::shared_ptr<const FolderTask> read_task(const YAML::Node& root, ProblemList& problems);

/// The YAML file of the task that `root` grades. `of_root` is the file of `root`.
std::filesystem::path file_of_task(const YAML::Node& root, const std::filesystem::path& of_root,
                                   const ProblemList& problems);

}  // namespace opgrade
