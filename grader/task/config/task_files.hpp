/// The files of a task's folder, where a config travels with it: to another machine, or into a
/// course's archive.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// The file's name in a folder that stands for a config. Another `<name>.yaml` of the folder is
/// another form of the exercise, with the same staff's files.
inline constexpr const char* kTaskFile = "task.yaml";

/// All files of a task's folder but those that no grade depends on: statement, template, samples,
/// hidden files, and the forms, of which the values count. Paths from the folder, sorted.
std::vector<std::filesystem::path> deciding_files(const std::filesystem::path& folder);

/// Those below template/ that students get, from the folder: no hidden files, and no links, which
/// could lead to the solution.
std::vector<std::filesystem::path> template_files(const std::filesystem::path& folder);

/// The names of the folder's yaml files, sorted.
std::vector<std::filesystem::path> forms_in(const std::filesystem::path& folder);

/// The folder of a config's one task; empty for a task of opgrade itself, and for several
/// exercises.
std::filesystem::path task_folder(const Config& config);

/// What names the task to `opgrade task`: its folder, or the file of another form.
std::filesystem::path task_argument(const FolderTask& task);

/// The file with the result of `opgrade task check`, in the task's folder.
std::filesystem::path task_record(const FolderTask& task);

/// What has to travel with a task: paths below `to` and their sources.
std::map<std::filesystem::path, std::filesystem::path> travelling_files(
    const FolderTask& task, const std::filesystem::path& to);

/// The same of all tasks of a config. The tasks of several exercises have a folder each below `to`.
/// Empty for a task of opgrade itself.
std::map<std::filesystem::path, std::filesystem::path> travelling_files(
    const Config& config, const std::filesystem::path& to);

/// The effective config with `task: PATH` in place of the ids of tasks, which name folders on this
/// machine alone. `to` is where travelling_files() lie.
std::string dump_config_beside(const Config& config, const std::filesystem::path& to);

/// The same with the paths of this machine.
std::string dump_config_in_place(const Config& config);

}  // namespace opgrade
