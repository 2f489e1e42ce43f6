#include "grader/config/task_files.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "grader/config/load.hpp"
#include "grader/tasks/folder/folder_task.hpp"

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

fs::path task_file(const Config& config) { return config.task ? config.task->file() : fs::path(); }

fs::path task_folder(const Config& config) { return task_file(config).parent_path(); }

fs::path task_argument(const Config& config) {
  const fs::path file = task_file(config);
  return file.filename() == kTaskFile ? file.parent_path() : file;
}

fs::path task_record(const Config& config) {
  const fs::path file = task_file(config);
  return file.parent_path() /
         (file.filename() == kTaskFile ? kRecord : kRecord + ("-" + file.stem().string()));
}

std::map<fs::path, fs::path> travelling_files(const Config& config, const fs::path& to) {
  std::map<fs::path, fs::path> files;
  const fs::path folder = task_folder(config);
  if (folder.empty()) return files;
  for (const auto& form : forms_in(folder)) files.emplace(to / form, folder / form);
  for (const auto& file : deciding_files(folder)) files.emplace(to / file, folder / file);
  std::error_code ignored;
  const fs::path record = task_record(config);
  if (fs::exists(record, ignored)) files.emplace(to / record.filename(), record);
  return files;
}

std::string dump_config_beside(const Config& config, const fs::path& task) {
  std::string text = dump_config(config);
  const fs::path file = task_file(config).filename();
  if (file.empty()) return text;
  const std::string line = "\ninterface: " + config.interface + "\n";
  return text.replace(
      text.find(line), line.size(),
      "\ntask: " + YAML::Dump(YAML::Node((file == kTaskFile ? task : task / file).string())) +
          "\n");
}

}  // namespace opgrade
