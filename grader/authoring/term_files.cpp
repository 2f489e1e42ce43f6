#include "grader/authoring/term_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "grader/base/core/resources.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/registry.hpp"
#include "grader/task/config/student_files.hpp"

namespace opgrade {
namespace {

namespace fs = std::filesystem;

/// The template's folder with the files of the other interfaces, which have a folder each.
constexpr const char* kInterfaces = "interfaces";

/// Adds all files except for the folders of other interfaces and other tasks, and hidden files,
/// because the workflow names its own config.
void add_files(const fs::path& from, std::map<std::string, std::string>& files) {
  for (const auto& entry : fs::recursive_directory_iterator(from)) {
    const fs::path path = entry.path().lexically_relative(from);
    const std::string top = *path.begin();
    if (!entry.is_regular_file() || top == kInterfaces || top.starts_with('.') ||
        std::ranges::find(tasks(), top, &Task::id) != tasks().end())
      continue;
    files[path] = text_of_file(entry.path());
  }
}

/// The cases whose time counts, one per line.
std::string timed_cases(const Config& config) {
  std::string text;
  for (const auto& stage : config.stages)
    for (const auto& c : stage.cases)
      if (const int calls = timing_of(config, stage, c).repetitions.value_or(1); calls > 1)
        text += fmt::format("- `{}`: {} timed calls of each layer\n", case_id(stage, c), calls);
  return text.empty()
             ? text
             : "Speed counts in these cases, with the same number of calls for everybody:\n\n" +
                   text + "\nThe time of any other case is of one call, not graded.\n\n";
}

/// The term's files and how to check them, followed by the template's rules.
std::string readme_of(const Config& config, const std::string& argument, const Interface& interface,
                      const std::string& template_readme) {
  std::string text = fmt::format("# {}: what to write\n\n| files | for |\n|--|--|\n", config.title);
  for (const auto& stage : config.stages)
    text += fmt::format("| `{}` | {} |\n", fmt::join(sources_of(config, stage), "`, `"),
                        stage.title.empty() ? stage.name : stage.title);
  for (const HandedOutFile& file : config.files.handed_out)
    text += fmt::format("| `{}` | the course's: use it as it is, or leave it out |\n", file.name);
  text += fmt::format(
      "\n## Check yourself\n\nOne milestone, or all, by the rules of the term:\n\n"
      "    opgrade check . --config {0} --only {1}\n    opgrade check . --config {0}\n\n"
      "`--watch` checks again whenever you save a file. The term's largest batches take minutes "
      "without a GPU.\n\n",
      argument, config.stages.front().name);
  text += timed_cases(config);
  const auto rules = template_readme.find("## Rules");
  if (rules != std::string::npos) text += template_readme.substr(rules);
  const std::string_view poisoned =
      "- The grader fills `y` with NaN before each call, so your code must set every element.\n";
  if (const auto line = text.find(poisoned); interface.zeroed_output && line != text.npos)
    text.replace(line, poisoned.size(), "- `y` is zero before each call.\n");
  return text;
}

}  // namespace

std::map<std::string, std::string> template_files() {
  std::map<std::string, std::string> files;
  add_files(resources::share_folder() / "student_template", files);
  return files;
}

std::map<std::string, std::string> term_files(const Config& config, const std::string& argument) {
  if (!folder_tasks(config).empty()) return {};
  const Interface& interface = interface_of(config);
  const fs::path base = resources::share_folder() / "student_template";
  const fs::path own = base / kInterfaces / interface.id;
  std::map<std::string, std::string> files;
  if (!interface.included) files = template_files();
  if (fs::exists(own)) add_files(own, files);
  for (const HandedOutFile& file : config.files.handed_out) files[file.name] = file.text.bytes;
  const auto given = files.find(std::string(interface.gpu_source));
  const std::string skeleton = given == files.end() ? "" : given->second;
  for (const auto& stage : config.stages) {
    const auto sources = sources_of(config, stage);
    for (const auto& source : sources) {
      if (files.contains(source)) continue;
      files[source] =
          source == sources.front()
              ? skeleton
              : fmt::format(
                    "// Compiled together with {}. Write here what several milestones share, "
                    "declare it in a\n// header of your own, and include that header where "
                    "you call it.\n",
                    sources.front());
    }
  }
  files["README.md"] = readme_of(config, argument, interface, text_of_file(base / "README.md"));
  return files;
}

}  // namespace opgrade
