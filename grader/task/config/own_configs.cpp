#include "grader/task/config/own_configs.hpp"

#include <map>
#include <set>

#include "grader/base/core/resources.hpp"
#include "grader/task/config/task_files.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"configs", "configs/terms"};

/// The forms of opgrade's labs by name; task.yaml has the name of its folder.
std::map<std::string, fs::path> labs() {
  std::map<std::string, fs::path> found;
  std::error_code missing;
  fs::recursive_directory_iterator entry(resources::share_folder() / "labs", missing);
  for (const fs::recursive_directory_iterator end; entry != end; entry.increment(missing)) {
    const fs::path& path = entry->path();
    if (entry.depth() == 2) entry.disable_recursion_pending();
    if (path.extension() != ".yaml" || !fs::exists(path.parent_path() / kTaskFile)) continue;
    found.emplace(path.filename() == kTaskFile ? path.parent_path().filename() : path.stem(), path);
  }
  return found;
}

}  // namespace

std::vector<std::string> own_config_names() {
  std::set<std::string> names;
  for (const char* folder : kFolders) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(resources::share_folder() / folder, missing))
      if (entry.path().extension() == ".yaml") names.insert(entry.path().stem());
  }
  for (const auto& [name, file] : labs()) names.insert(name);
  return {names.begin(), names.end()};
}

std::vector<std::string> lab_names() {
  std::vector<std::string> names;
  for (const auto& [name, file] : labs()) names.push_back(name);
  return names;
}

std::optional<fs::path> own_config(const std::string& name) {
  if (name.empty() || name.find('/') != name.npos || name.ends_with(".yaml")) return std::nullopt;
  for (const char* folder : kFolders) {
    const fs::path file = resources::share_folder() / folder / (name + ".yaml");
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) return file;
  }
  const auto known = labs();
  const auto lab = known.find(name);
  return lab != known.end() ? std::optional(lab->second) : std::nullopt;
}

}  // namespace opgrade
