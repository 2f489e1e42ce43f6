#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

#include "grader/authoring/config_check.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/grading/pipeline/constructs.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/stage_case.hpp"
#include "grader/task/config/student_files.hpp"
#include "grader/task/config/task_files.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade::cli {
namespace {

/// "m1: 12 points: cases 9, random 3"
std::string points_text(const Config& config) {
  std::string text;
  for (const auto& stage : config.stages) {
    const auto sum_of = [](const auto& items) {
      double points = 0;
      for (const auto& item : items) points += item.points;
      return points;
    };
    const std::pair<const char*, double> parts[] = {{"cases", sum_of(stage.cases)},
                                                    {"random shapes", stage.random_shapes.points},
                                                    {"random batches", stage.random_batches.points},
                                                    {"fixed shapes", stage.fixed_shapes.points},
                                                    {"groups", sum_of(stage.groups)},
                                                    {"constructs", sum_of(stage.constructs)},
                                                    {"counts", sum_of(stage.counts)},
                                                    {"Op Time", sum_of(stage.op_times)},
                                                    {"by staff", sum_of(stage.open_items)}};
    double sum = 0;
    std::string list;
    for (const auto& [name, points] : parts) {
      sum += points;
      if (points > 0) list += fmt::format("{}{} {:g}", list.empty() ? ": " : ", ", name, points);
    }
    text += fmt::format("points of {}: {:g}{}\n", stage.name, sum, list);
    for (const OpTimeRule& rule : stage.op_times)
      if (const std::string by_time = points_by_time(rule); !by_time.empty())
        text +=
            fmt::format("points by Op Time of {}/{}: {}\n", stage.name, rule_name(rule), by_time);
  }
  text += fmt::format("points of all: {:g}", config.max_points());
  if (config.pass_mark > 0) text += fmt::format("; {:g} to pass", config.pass_mark);
  return printable(text) + "\n";
}

std::vector<std::string> paths_of(const Config& config, const StageConfig& stage) {
  auto paths = sources_of(config, stage);
  for (std::string& path : paths) path = in_folder(stage.folder, path);
  return paths;
}

/// "files of m1: new-forward.cu"
std::string files_text(const Config& config) {
  std::string text;
  for (const auto& stage : config.stages)
    text += fmt::format("files of {}: {}\n", stage.name, fmt::join(paths_of(config, stage), ", "));
  return printable(text);
}

/// How easily a required construct is satisfied, for constructs that the syntax tree may not know.
std::string constructs_text(const Config& config) {
  std::string text;
  for (const auto& stage : config.stages)
    for (const ConstructConfig& construct : stage.constructs) {
      const std::string& required = construct.required;
      const bool by_tree = only_the_tree_tells(required) || required.starts_with("#pragma omp");
      if (required.empty() || by_tree) continue;
      text += fmt::format(
          "construct of {}: {}: a function of CUDA's must be called; of any other word it is "
          "enough "
          "that it stands in code that can run\n",
          stage.name, required);
    }
  return printable(text);
}

/// For a task's folder: its function, the range of each size, and the sizes of each case.
std::string text_of_task(const Config& config) {
  const TaskDescription& about = config.task->description();
  std::string text = fmt::format("function: {}\n", about.function.text);
  if (!about.callers.empty())
    text += fmt::format("caller: {}\n", fmt::join(about.callers | std::views::keys, ", "));
  for (const auto& [file, buffers] : {std::pair(kWriterFile, written_by_staff(about)),
                                      std::pair(kReaderFile, read_by_staff(about))})
    if (!buffers.empty()) text += fmt::format("files by {}: {}\n", file, fmt::join(buffers, ", "));
  std::string random;
  for (const auto& size : about.sizes)
    random += fmt::format("{}{} from {} to {}", random.empty() ? "" : ", ", size.name, size.from,
                          size.random);
  for (const auto& stage : config.stages) {
    for (const auto& c : stage.cases)
      text += fmt::format("sizes of {}: {}\n", case_id(stage, c), text_of(c.sizes));
    if (stage.random_shapes.count > 0)
      text += fmt::format("sizes of {}: {} times {}\n", random_id(stage), stage.random_shapes.count,
                          random);
    for (const auto& shape : stage.fixed_shapes.shapes)
      text += fmt::format("sizes of {}: {}\n", fixed_id(stage), text_of(shape));
  }
  return printable(text);
}

std::string task_text(const Config& config) {
  std::string text;
  for (const Exercise& one : exercises_of(config))
    if (one.config.task) text += text_of_task(one.config);
  return text;
}

/// True if the models and their data match the config. If they do not exist, this cannot be
/// checked, and a line says so.
bool fits_models(const Config& config, const std::string& file, ProgressLine& progress) {
  std::vector<std::string> problems;
  try {
    const Task* const task = task_with_networks(config);
    const auto models =
        task != nullptr ? task->models(resources::data_folder(), progress.listener()) : nullptr;
    progress.show("running the models");
    problems = model_problems(config, models.get());
  } catch (const UsageError&) {
    throw;
  } catch (const Error& e) {
    progress.clear();
    fmt::print(stderr, "not checked against models and data: {}\n", printable_line(e.what()));
    return true;
  }
  progress.clear();
  for (const auto& problem : problems)
    fmt::print(stderr, "{}: {}\n", printable_line(file), printable_line(problem, 1000));
  return problems.empty();
}

}  // namespace

void add_check_config(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand(
      "check-config",
      "Check a config against its models and data: print all problems, or the effective config");
  auto file = std::make_shared<std::string>();
  verb->add_option("file", *file, "Config file, or the name of an opgrade config")->required();
  verb->callback([=, &exit_code] {
    exit_code = kUsage;
    const Config config = read_config(*file);
    ProgressLine progress(false);
    if (!fits_models(config, *file, progress)) return;
    fmt::print("{}", dump_config_in_place(config));
    std::fflush(stdout);
    fmt::print(stderr, "{}{}{}{}", task_text(config), files_text(config), constructs_text(config),
               points_text(config));
    exit_code = kPassed;
  });
}

}  // namespace opgrade::cli
