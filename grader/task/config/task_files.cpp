#include "grader/task/config/task_files.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "grader/task/config/config_task.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 3> kForReaders{"statement.md", "submissions", "template"};
constexpr const char* kRecord = ".task-check";

bool is_form(const fs::path& file) { return file.extension() == ".yaml"; }

}  // namespace

std::vector<fs::path> deciding_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  fs::recursive_directory_iterator entry(folder, ignored);
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    const bool for_readers =
        entry.depth() == 0 &&
        (is_form(name) || std::ranges::find(kForReaders, name) != kForReaders.end());
    if (for_readers || name.starts_with('.'))
      entry.disable_recursion_pending();
    else if (entry->is_regular_file(ignored))
      files.push_back(entry->path().lexically_relative(folder));
  }
  std::ranges::sort(files);
  return files;
}

std::vector<fs::path> template_files(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::exists(folder / "template")) return files;
  fs::recursive_directory_iterator entry(folder / "template");
  for (const fs::recursive_directory_iterator end; entry != end; ++entry) {
    if (entry->path().filename().string().starts_with('.'))
      entry.disable_recursion_pending();
    else if (entry->is_regular_file() && !entry->is_symlink())
      files.push_back(entry->path().lexically_relative(folder));
  }
  return files;
}

std::vector<fs::path> forms_in(const fs::path& folder) {
  std::vector<fs::path> forms;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (is_form(entry.path())) forms.push_back(entry.path().filename());
  std::ranges::sort(forms);
  return forms;
}

fs::path task_folder(const Config& config) {
  return config.task ? config.task->folder() : fs::path();
}

fs::path task_argument(const FolderTask& task) {
  return task.file().filename() == kTaskFile ? task.folder() : task.file();
}

fs::path task_record(const FolderTask& task) {
  const fs::path& file = task.file();
  return file.parent_path() /
         (file.filename() == kTaskFile ? kRecord : kRecord + ("-" + file.stem().string()));
}

std::map<fs::path, fs::path> travelling_files(const FolderTask& task, const fs::path& to) {
  std::map<fs::path, fs::path> files;
  const fs::path folder = task.folder();
  for (const auto& form : forms_in(folder)) files.emplace(to / form, folder / form);
  for (const auto& file : deciding_files(folder)) files.emplace(to / file, folder / file);
  std::error_code ignored;
  const fs::path record = task_record(task);
  if (fs::exists(record, ignored)) files.emplace(to / record.filename(), record);
  return files;
}

namespace {

/// The folder below `to` for a task of the config. Tasks never share a folder, because all files of
/// a folder decide about the state of its task.
fs::path place_of(const Config& config, const FolderTask& task, const fs::path& to) {
  return folder_tasks(config).size() == 1 ? to : to / task.description().name;
}

/// The effective config in which `path_of` replaces the id of each task.
std::string dump_with_paths(const Config& config, const auto& path_of) {
  std::string text = dump_config(config);
  for (const auto& task : folder_tasks(config)) {
    const std::string id = fmt::format("interface: {}\n", task->id());
    const std::string path =
        fmt::format("task: {}\n", YAML::Dump(YAML::Node(path_of(*task).string())));
    for (auto at = text.find(id); at != text.npos; at = text.find(id, at + path.size()))
      text.replace(at, id.size(), path);
  }
  return text;
}

}  // namespace

std::map<fs::path, fs::path> travelling_files(const Config& config, const fs::path& to) {
  std::map<fs::path, fs::path> files;
  for (const auto& task : folder_tasks(config))
    files.merge(travelling_files(*task, place_of(config, *task, to)));
  return files;
}

std::string dump_config_beside(const Config& config, const fs::path& to) {
  return dump_with_paths(config, [&](const FolderTask& task) {
    const fs::path place = place_of(config, task, to);
    return task.file().filename() == kTaskFile ? place : place / task.file().filename();
  });
}

std::string dump_config_in_place(const Config& config) {
  return dump_with_paths(config, [](const FolderTask& task) { return task_argument(task); });
}

}  // namespace opgrade
