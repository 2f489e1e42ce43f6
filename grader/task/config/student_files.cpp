#include "grader/task/config/student_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "grader/base/files/text_file.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/task_files.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade {

namespace fs = std::filesystem;

std::vector<std::string> sources_of(const Config& config, const StageConfig& stage) {
  if (!stage.sources.empty()) return stage.sources;
  return {std::string(interface_of(config, stage).source(stage.device))};
}

std::vector<std::string> sources_of(const Config& config) {
  std::vector<std::string> names;
  for (const auto& stage : config.stages)
    for (auto& name : sources_of(config, stage))
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  return names;
}

std::vector<std::string> own_sources_of(const Config& config) {
  std::vector<std::string> names;
  for (const Exercise& one : exercises_of(config))
    for (const std::string& name : sources_of(one.config))
      if (config.files.find_handed_out(name) == nullptr)
        names.push_back(in_folder(one.folder, name));
  return names;
}

namespace {

std::string statement_of_one(const Config& config) {
  const fs::path folder = task_folder(config);
  if (folder.empty() || !fs::exists(folder / "statement.md")) return "";
  return text_of_file(folder / "statement.md");
}

/// The README.md of several exercises: which folder each has in a hand-in.
std::string overview(const Config& config, const std::vector<Exercise>& exercises) {
  std::string text = fmt::format(
      "# {}\n\nEach exercise has a folder. Hand in all of them together.\n\n"
      "| exercise | points | files |\n|--|--|--|\n",
      config.title);
  for (const Exercise& one : exercises) {
    std::string files;
    for (const std::string& name : own_sources_of(one.config))
      files += (files.empty() ? "`" : ", `") + name + "`";
    const FolderTask* const task = folder_task_of(one.config, one.config.stages.front());
    text += fmt::format("| {} | {:g} | {} |\n",
                        task != nullptr ? task->description().title : one.config.title,
                        one.config.max_points(), files);
  }
  return text;
}

/// Empty for a task of opgrade itself. Paths are relative to the exercise's folder.
std::map<std::string, std::string> starting_files_of_one(const Config& config) {
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
  if (const std::string statement = statement_of_one(config); !statement.empty())
    files["README.md"] = statement;
  for (const GeneratedFile& file : interface_of(config).generated)
    if (file.path.ends_with(".h")) files[fs::path(file.path).filename()] = file.text;
  for (const auto& [name, text] : config.task->description().callers) files[name] = text;
  for (const HandedOutFile& file : config.files.handed_out) files[file.name] = file.text.bytes;
  return files;
}

}  // namespace

std::string statement_of(const Config& config) {
  const auto exercises = exercises_of(config);
  if (exercises.size() == 1) return statement_of_one(exercises.front().config);
  std::string text = overview(config, exercises);
  for (const Exercise& one : exercises)
    if (const std::string statement = statement_of_one(one.config); !statement.empty())
      text += "\n" + statement;
  return text;
}

std::map<std::string, std::string> starting_files(const Config& config) {
  const auto exercises = exercises_of(config);
  std::map<std::string, std::string> files;
  for (const Exercise& one : exercises)
    for (auto& [name, text] : starting_files_of_one(one.config))
      files[in_folder(one.folder, name)] = std::move(text);
  if (exercises.size() > 1 && !files.empty()) files["README.md"] = overview(config, exercises);
  return files;
}

}  // namespace opgrade
