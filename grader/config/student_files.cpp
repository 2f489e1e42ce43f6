#include "grader/config/student_files.hpp"

#include <algorithm>
#include <filesystem>

#include "grader/config/config_task.hpp"
#include "grader/config/task_files.hpp"
#include "grader/files/text_file.hpp"
#include "grader/tasks/folder/folder_task.hpp"

namespace opgrade {

namespace fs = std::filesystem;

std::vector<std::string> sources_of(const Config& config, const StageConfig& stage) {
  if (!stage.sources.empty()) return stage.sources;
  return {std::string(interface_of(config).source(stage.device))};
}

std::vector<std::string> sources_of(const Config& config) {
  std::vector<std::string> names;
  for (const auto& stage : config.stages)
    for (auto& name : sources_of(config, stage))
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> own_sources_of(const Config& config) {
  auto names = sources_of(config);
  std::erase_if(names, [&](const std::string& name) {
    return config.files.find_handed_out(name) != nullptr;
  });
  return names;
}

std::string statement_of(const Config& config) {
  const fs::path folder = task_folder(config);
  if (folder.empty() || !fs::exists(folder / "statement.md")) return "";
  return text_of_file(folder / "statement.md");
}

std::map<std::string, std::string> starting_files(const Config& config) {
  std::map<std::string, std::string> files;
  const fs::path folder = task_folder(config);
  if (folder.empty()) return files;
  const auto sources = sources_of(config);
  const bool several = forms_in(folder).size() > 1;
  for (const fs::path& file : template_files(folder)) {
    const fs::path name = file.lexically_relative("template");
    const bool source = name.extension() == ".cu" || name.extension() == ".cc";
    const bool other = several && source && !name.has_parent_path() &&
                       std::ranges::find(sources, name.string()) == sources.end();
    if (!other) files[name] = text_of_file(folder / file);
  }
  if (const std::string statement = statement_of(config); !statement.empty())
    files["README.md"] = statement;
  for (const GeneratedFile& file : interface_of(config).generated)
    if (file.path.ends_with(".h")) files[fs::path(file.path).filename()] = file.text;
  for (const auto& [name, text] : config.task->description().callers) files[name] = text;
  for (const HandedOutFile& file : config.files.handed_out) files[file.name] = file.text.bytes;
  return files;
}

}  // namespace opgrade
