#include "grader/config/own_configs.hpp"

#include <set>

#include "grader/config/task_files.hpp"
#include "grader/core/resources.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFolders[] = {"configs", "configs/terms"};
constexpr const char* kLabs = "labs";

}  // namespace

std::vector<std::string> own_config_names() {
  std::set<std::string> names;
  for (const char* folder : kFolders) {
    std::error_code missing;
    for (const auto& entry : fs::directory_iterator(resources::share_folder() / folder, missing))
      if (entry.path().extension() == ".yaml") names.insert(entry.path().stem());
  }
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(resources::share_folder() / kLabs, missing))
    if (fs::exists(entry.path() / kTaskFile)) names.insert(entry.path().filename());
  return {names.begin(), names.end()};
}

std::optional<fs::path> own_config(const std::string& name) {
  if (name.empty() || name.find('/') != name.npos || name.ends_with(".yaml")) return std::nullopt;
  for (const char* folder : kFolders) {
    const fs::path file = resources::share_folder() / folder / (name + ".yaml");
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) return file;
  }
  const fs::path lab = resources::share_folder() / kLabs / name / kTaskFile;
  std::error_code ignored;
  if (fs::is_regular_file(lab, ignored)) return lab;
  return std::nullopt;
}

}  // namespace opgrade
