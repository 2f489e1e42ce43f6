#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/authoring/term_files.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/folder_config.hpp"
#include "grader/task/config/own_configs.hpp"
#include "grader/task/config/student_files.hpp"
#include "grader/task/config/task_files.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

/// Writes the settings of clangd, which most editors use. CUDA files are read as C++ with the
/// emulated device's headers, because every opgrade has them, and Clang only knows CUDA toolkits
/// older than itself.
void write_editor_setup(const fs::path& folder) {
  const fs::path headers = resources::share_folder() / "emulation/include";
  if (!fs::exists(headers)) return;  // opgrade was built without the emulated device
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

/// Writes the template's workflow for this config.
void write_workflow(const fs::path& folder, const std::string& config) {
  const fs::path name = ".github/workflows/opgrade.yml";
  std::string text = text_of_file(resources::share_folder() / "student_template" / name);
  const std::string own = "--config self-check";
  if (const auto place = text.find(own); place != std::string::npos)
    text.replace(place, own.size(), "--config " + config);
  fs::create_directories((folder / name).parent_path());
  write_file(folder / name, text);
}

void write_files(const fs::path& folder, const std::map<std::string, std::string>& files) {
  for (const auto& [name, text] : files) {
    fs::create_directories((folder / name).parent_path());
    write_file(folder / name, text);
  }
}

/// Writes the files from which a student of the task starts, with the prototype for editors and
/// compilers.
void write_task(const fs::path& folder, const Config& config, const std::string& argument) {
  const auto files = starting_files(config);
  if (files.empty())
    throw UsageError(argument + " is no task's folder", "its task.yaml needs a key `task`");
  write_files(folder, files);
  write_editor_setup(folder);
  write_folder_config(folder, argument);
  fmt::print("{0} is ready. Write {1}, then run: opgrade check {0}\n", folder.string(),
             fmt::join(own_sources_of(config), " and "));
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
    if (config && !folder_tasks(*config).empty()) return write_task(folder, *config, own->term);
    std::string first = "cpu-new-forward.cc", rules = " --only cpu";
    std::string_view operation = "convolution";
    try {
      fs::create_directories(folder);
      if (config) {
        write_files(folder, term_files(*config, own->term));
        const StageConfig& stage = config->stages.front();
        first = sources_of(*config, stage).front();
        operation = task_of(*config, stage).operation();
        rules = fmt::format(" --only {}", stage.name);
      } else {
        write_files(folder, template_files());
      }
      write_workflow(folder, own->term.empty() ? "self-check" : own->term);
      write_editor_setup(folder);
      if (config) write_folder_config(folder, own->term);
    } catch (const fs::filesystem_error& e) {
      throw Error(fmt::format("cannot copy the template to {}: {}", folder, e.code().message()));
    }
    fmt::print(
        "{0} is ready. Write the CPU {3} in {0}/{1}, then run: opgrade check {0}{2}\n"
        "{0}/README.md has the other files and the rules. For a course with a service: opgrade "
        "fetch --assignment NAME.\n",
        folder, first, rules, operation);
  });
}

}  // namespace opgrade::cli
