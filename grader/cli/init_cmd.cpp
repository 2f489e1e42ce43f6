#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/config/config_task.hpp"
#include "grader/config/own_configs.hpp"
#include "grader/config/student_files.hpp"
#include "grader/config/task_files.hpp"
#include "grader/core/error.hpp"
#include "grader/core/resources.hpp"
#include "grader/files/text_file.hpp"
#include "grader/score/score_stage.hpp"
#include "grader/tasks/registry.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

/// A folder of the template with the files of the other interfaces, a folder each.
constexpr const char* kInterfaces = "interfaces";

/// All but the folders of other interfaces and of other tasks.
void copy_files(const fs::path& from, const fs::path& to) {
  for (const auto& entry : fs::directory_iterator(from)) {
    const std::string name = entry.path().filename();
    if (name == kInterfaces || std::ranges::find(tasks(), name, &Task::id) != tasks().end())
      continue;
    fs::copy(entry.path(), to / name,
             fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  }
}

/// The cases whose time counts, a line each.
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

/// This term's files and how to check them, above the template's rules.
std::string readme_of(const Config& config, const Interface& interface,
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
      config.name, config.stages.front().name);
  text += timed_cases(config);
  const auto rules = template_readme.find("## Rules");
  if (rules != std::string::npos) text += template_readme.substr(rules);
  const std::string_view poisoned =
      "- The grader fills `y` with NaN before each call, so your code must set every element.\n";
  if (const auto line = text.find(poisoned); interface.zeroed_output && line != text.npos)
    text.replace(line, poisoned.size(), "- `y` is zero before each call.\n");
  return text;
}

/// For clangd, which most editors use. CUDA files are read as C++ with the emulated device's
/// headers: every opgrade has them, and Clang knows only CUDA toolkits older than itself.
void write_editor_setup(const fs::path& folder) {
  const fs::path headers = resources::share_folder() / "emulation/include";
  if (!fs::exists(headers)) return;  // built without the emulated device
  write_file(
      folder / ".clangd",
      fmt::format("# For editors with clangd, on this machine; opgrade init wrote it.\n"
                  "CompileFlags:\n"
                  "  Add: [-std=c++17]\n"
                  "---\n"
                  "If:\n"
                  "  PathMatch: .*\\.cuh?\n"
                  "CompileFlags:\n"
                  "  Add: [-xc++, -std=c++17, '-I{}', -include, opgrade_emulation/editor.hpp]\n"
                  "Diagnostics:\n"
                  "  Suppress: [expected_expression]  # kernel<<<grid, block>>>\n",
                  headers.string()));
}

/// The template's workflow, by this config.
void write_workflow(const fs::path& folder, const std::string& config) {
  const fs::path name = ".github/workflows/opgrade.yml";
  std::string text = text_of_file(resources::share_folder() / "student_template" / name);
  const std::string own = "--config self-check";
  if (const auto place = text.find(own); place != std::string::npos)
    text.replace(place, own.size(), "--config " + config);
  fs::create_directories((folder / name).parent_path());
  write_file(folder / name, text);
}

/// The files that a term's config asks for, each with the functions of the term's interface.
void write_term(const fs::path& folder, const Config& config) {
  const Interface& interface = interface_of(config);
  const fs::path base = resources::share_folder() / "student_template";
  const fs::path own = base / kInterfaces / interface.id;
  if (!interface.included) copy_files(base, folder);
  if (fs::exists(own)) copy_files(own, folder);
  for (const HandedOutFile& file : config.files.handed_out)
    write_file(folder / file.name, file.text.bytes);
  const fs::path skeleton = folder / interface.gpu_source;
  for (const auto& stage : config.stages) {
    const auto sources = sources_of(config, stage);
    for (const auto& source : sources) {
      if (fs::exists(folder / source)) continue;
      if (source == sources.front()) {
        fs::copy_file(skeleton, folder / source);
      } else {
        write_file(
            folder / source,
            fmt::format("// Compiled together with {}. Write here what several milestones share, "
                        "declare it in a\n// header of your own, and include that header where "
                        "you call it.\n",
                        sources.front()));
      }
    }
  }
  write_file(folder / "README.md", readme_of(config, interface, text_of_file(base / "README.md")));
}

/// What a student of the task starts from, with the prototype for editors and compilers.
void write_task(const fs::path& folder, const Config& config, const std::string& argument) {
  const auto files = starting_files(config);
  if (files.empty())
    throw UsageError(argument + " is no task's folder", "its task.yaml needs a key `task`");
  for (const auto& [name, text] : files) {
    fs::create_directories((folder / name).parent_path());
    write_file(folder / name, text);
  }
  write_editor_setup(folder);
  fmt::print("{0} is ready. Write {1}, then run: opgrade check {0} --config {2}\n", folder.string(),
             fmt::join(own_sources_of(config), " and "), argument);
}

Config term_config(const std::string& term) {
  const auto terms = term_names(), configs = own_config_names();
  if (std::ranges::find(configs, term) == configs.end()) {
    throw UsageError(fmt::format("there is no term '{}'", term),
                     fmt::format("the terms are {}", fmt::join(terms, ", ")));
  }
  return read_config(term);
}

Config config_for(const std::string& task) {
  if (fs::exists(task)) return read_config(fs::absolute(task).string());
  if (own_config(task)) return read_config(task);
  throw UsageError(fmt::format("there is no folder or lab '{}'", task),
                   fmt::format("the labs are {}", fmt::join(lab_names(), ", ")));
}

}  // namespace

void add_init(arguments::Parser& app, int&) {
  auto* verb = app.add_subcommand("init", "Make a folder with the student template");
  struct Own {
    std::string folder, term, task;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("folder", own->folder, "A new or empty folder")->required();
  verb->add_option("--term", own->term,
                   "A term such as 2026sp, or another config of opgrade, whose files are copied")
      ->suggest(term_names);
  verb->add_option("--task", own->task,
                   "A task's folder or the name of a lab, whose statement and template are copied")
      ->suggest(lab_names);
  verb->callback([=] {
    const std::string& folder = own->folder;
    std::error_code error;
    if (fs::exists(folder) && !fs::is_empty(folder, error)) {
      throw UsageError(folder + " is not empty",
                       "name a new folder: nothing of yours is overwritten");
    }
    if (!own->task.empty()) {
      if (!own->term.empty()) throw UsageError("--term and --task exclude each other");
      return write_task(folder, config_for(own->task), own->task);
    }
    std::optional<Config> config;
    if (!own->term.empty()) config = term_config(own->term);
    if (config && !task_folder(*config).empty()) return write_task(folder, *config, own->term);
    std::string first = "cpu-new-forward.cc", rules = " --only cpu";
    std::string_view operation = "convolution";
    try {
      fs::create_directories(folder);
      if (config) {
        write_term(folder, *config);
        const StageConfig& stage = config->stages.front();
        first = sources_of(*config, stage).front();
        operation = task_of(*config).operation();
        rules = fmt::format(" --config {} --only {}", own->term, stage.name);
      } else {
        copy_files(resources::share_folder() / "student_template", folder);
      }
      write_workflow(folder, own->term.empty() ? "self-check" : own->term);
      write_editor_setup(folder);
    } catch (const fs::filesystem_error& e) {
      throw Error(fmt::format("cannot copy the template to {}: {}", folder, e.code().message()));
    }
    fmt::print(
        "{0} is ready. Write the CPU {3} in {0}/{1}, then run: opgrade check {0}{2}\n"
        "{0}/README.md has the other files and the rules.\n",
        folder, first, rules, operation);
  });
}

}  // namespace opgrade::cli
