#include "grader/config/task_files.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "grader/config/load.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 4> kForReaders{"statement.md", "submissions", "template",
                                                      kTaskFile};

}  // namespace

std::vector<fs::path> deciding_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  fs::recursive_directory_iterator entry(folder, ignored);
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    const bool for_readers =
        entry.depth() == 0 && std::ranges::find(kForReaders, name) != kForReaders.end();
    if (for_readers || name.starts_with('.'))
      entry.disable_recursion_pending();
    else if (entry->is_regular_file(ignored))
      files.push_back(entry->path().lexically_relative(folder));
  }
  std::ranges::sort(files);
  return files;
}

fs::path task_folder(const Config& config) {
  const Task* const task = find_task(config.interface);
  return task != nullptr ? task->folder() : fs::path();
}

std::map<fs::path, fs::path> travelling_files(const Config& config, const fs::path& to) {
  std::map<fs::path, fs::path> files;
  const fs::path folder = task_folder(config);
  if (folder.empty()) return files;
  files.emplace(to / kTaskFile, folder / kTaskFile);
  for (const auto& file : deciding_files(folder)) files.emplace(to / file, folder / file);
  std::error_code ignored;
  if (fs::exists(folder / kTaskRecord, ignored))
    files.emplace(to / kTaskRecord, folder / kTaskRecord);
  return files;
}

std::string dump_config_beside(const Config& config, const fs::path& task) {
  std::string text = dump_config(config);
  if (task_folder(config).empty()) return text;
  const std::string line = "\ninterface: " + config.interface + "\n";
  return text.replace(text.find(line), line.size(),
                      "\ntask: " + YAML::Dump(YAML::Node(task.string())) + "\n");
}

}  // namespace opgrade
