/// The files of a task's folder that a config needs on another machine or in a course's archive.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// The name of the file in a folder that stands for a config. Another `<name>.yaml` of the folder
/// is another form of the exercise, with the same files of staff.
inline constexpr const char* kTaskFile = "task.yaml";

/// All files of a task's folder on which a grade depends: not the statement, the template, samples
/// and hidden files. Forms are left out, too, because their values count, not their text. Paths are
/// relative to the folder, sorted.
std::vector<std::filesystem::path> deciding_files(const std::filesystem::path& folder);

/// The files below template/ that students get, relative to the folder: no hidden files, and no
/// links, because a link could lead to the solution.
std::vector<std::filesystem::path> template_files(const std::filesystem::path& folder);

/// The names of the folder's YAML files, sorted.
std::vector<std::filesystem::path> forms_in(const std::filesystem::path& folder);

/// The folder of a config's one task; empty for a task of opgrade itself, and for several
/// exercises.
std::filesystem::path task_folder(const Config& config);

/// The argument that names the task to `opgrade task`: its folder, or the file of another form.
std::filesystem::path task_argument(const FolderTask& task);

/// The file with the result of `opgrade task check`, in the task's folder.
std::filesystem::path task_record(const FolderTask& task);

/// The files that have to travel with a task: paths below `to` and their sources.
std::map<std::filesystem::path, std::filesystem::path> travelling_files(
    const FolderTask& task, const std::filesystem::path& to);

/// The files that have to travel with all tasks of a config. Each of several exercises has a folder
/// below `to`. Empty for a task of opgrade itself.
std::map<std::filesystem::path, std::filesystem::path> travelling_files(
    const Config& config, const std::filesystem::path& to);

/// The effective config with `task: PATH` instead of the ids of tasks, because an id names a folder
/// on this machine only. `to` is the folder of travelling_files().
std::string dump_config_beside(const Config& config, const std::filesystem::path& to);

/// The effective config with the paths of the tasks on this machine.
std::string dump_config_in_place(const Config& config);

}  // namespace opgrade
