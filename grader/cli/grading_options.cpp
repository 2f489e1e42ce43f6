#include "grader/cli/grading_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

#include "grader/authoring/task_record.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/nearest.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/core/shell_word.hpp"
#include "grader/cli/commands.hpp"
#include "grader/grading/device/gpu.hpp"
#include "grader/grading/pipeline/selection.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/report/words/verdict.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/config/folder_config.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/own_configs.hpp"
#include "grader/task/config/task_files.hpp"

namespace opgrade::cli {

namespace fs = std::filesystem;

namespace {

/// Values of --only for a config; empty if the config cannot be read.
std::vector<std::string> case_names(const std::string& config) {
  std::vector<std::string> names;
  try {
    const Config read = load_config(own_config(config).value_or(config)).config;
    const Selection all(read, {});
    for (const StageConfig& stage : read.stages) {
      names.push_back(stage.name);
      for (auto& id : all.ids(stage)) names.push_back(std::move(id));
    }
  } catch (const Error&) {
    names.clear();
  }
  return names;
}

/// Prints a text only once, because a service reads its configs again and again.
void tell_once(const std::string& text) {
  static std::mutex guard;
  static std::set<std::string> told;
  const std::scoped_lock lock(guard);
  if (told.insert(text).second) fmt::print(stderr, "{}", text);
}

}  // namespace

void add_device_option(arguments::Parser& verb, std::string& device) {
  verb.add_option("--device", device, "Where GPU stages run: auto, cuda or emulated")
      ->check(arguments::one_of({"auto", "cuda", "emulated"}))
      ->capture_default_str();
}

namespace {

/// Either `config` or `otherwise` is filled.
std::shared_ptr<GradingArguments> add_options(arguments::Parser& verb, std::string config,
                                              std::string otherwise) {
  auto arguments = std::make_shared<GradingArguments>();
  arguments->config = std::move(config);
  arguments->otherwise = std::move(otherwise);
  auto* const option =
      verb.add_option("--config,-c", arguments->config,
                      "Config file, or the name of an opgrade config, such as minidnn or 2026sp" +
                          (arguments->otherwise.empty()
                               ? ""
                               : "; default: that of opgrade init, else " + arguments->otherwise))
          ->suggest(own_config_names);
  if (!arguments->config.empty()) option->capture_default_str();
  add_device_option(verb, arguments->device);
  verb.add_option("--only", arguments->only, "Run only these cases or stages, such as cpu/high/100")
      ->suggest([given = std::weak_ptr(arguments)] {
        const auto typed = given.lock();
        if (!typed) return std::vector<std::string>();
        // Assumes the current folder, which is usually the student's.
        return case_names(typed->config.empty() ? config_of_folder_or(".", typed->otherwise)
                                                : typed->config);
      });
  verb.add_option("--seed", arguments->seed, "Seed of the random cases, to repeat a failure");
  verb.add_option("--data", arguments->data, "Folder of the prepared data sets");
  verb.add_flag("--unsafe", arguments->unsafe, "Grade without a sandbox, if there is none");
  verb.add_flag("--json", arguments->json, "Print the JSON report instead of the text");
  verb.add_flag("--profile", arguments->profile,
                "Profile each GPU stage's largest case (emulated: count its smallest's launches)");
  verb.add_flag("--sanitize", arguments->sanitize,
                "On a GPU: run memcheck, racecheck, initcheck and synccheck too");
  verb.add_flag("--quiet,-q", arguments->quiet, "No progress on stderr");
  return arguments;
}

}  // namespace

std::shared_ptr<GradingArguments> add_grading_options(arguments::Parser& verb, std::string config) {
  return add_options(verb, std::move(config), "");
}

std::shared_ptr<GradingArguments> add_folder_options(arguments::Parser& verb,
                                                     std::string otherwise) {
  return add_options(verb, "", std::move(otherwise));
}

void choose_config(GradingArguments& arguments, const fs::path& folder) {
  if (arguments.config.empty()) arguments.config = config_of_folder_or(folder, arguments.otherwise);
}

std::vector<std::string> term_names() {
  std::set<std::string> names;
  std::error_code missing;
  for (const auto& entry :
       fs::directory_iterator(resources::share_folder() / "configs/terms", missing))
    if (entry.path().extension() == ".yaml") names.insert(entry.path().stem());
  return {names.begin(), names.end()};
}

Config read_config(const std::string& argument) {
  fs::path file = argument;
  // A folder of that name is not a config, because `opgrade init 2026sp --term 2026sp` makes one.
  if (argument.find('/') == std::string::npos && !argument.ends_with(".yaml") &&
      (!fs::exists(file) || (fs::is_directory(file) && !fs::exists(file / kTaskFile)))) {
    const auto own = own_config(argument);
    if (!own) {
      const auto names = own_config_names();
      throw UsageError(fmt::format("there is no file '{}', nor has opgrade a config of that name{}",
                                   argument, did_you_mean(argument, {names.begin(), names.end()})),
                       fmt::format("opgrade's own are {}", fmt::join(names, ", ")));
    }
    file = *own;
  }
  LoadedConfig loaded = load_config(file);
  tell_once(to_text(loaded.notes));
  const auto missing = missing_model_files(loaded);
  if (loaded.problems.empty() && missing.empty()) {
    for (const StageConfig& stage : loaded.config.stages)
      // Throws for an unknown interface, which would otherwise show only when grading.
      interface_of(loaded.config, stage);
    return std::move(loaded.config);
  }
  tell_once(to_text(loaded.problems) + to_text(missing));
  throw UsageError(fmt::format("the config {} has problems", argument));
}

void expect_checked_task(const Config& config, const char* verb) {
  const std::string why = unchecked_task(config);
  if (why.empty()) return;
  throw UsageError(why, fmt::format("run opgrade task check {}; {} {} all the same",
                                    shell_path(task_to_check(config).string()), kUnchecked, verb));
}

void expect_submission(const std::string& path, std::string_view verb) {
  constexpr std::array kSources{".cc", ".cpp", ".c", ".cu", ".cuh", ".h", ".hpp"};
  const fs::path file = path;
  if (!fs::is_regular_file(file) || std::ranges::find(kSources, file.extension()) == kSources.end())
    return;
  const std::string folder = file.has_parent_path() ? file.parent_path().string() : ".";
  throw UsageError(fmt::format("{} is a file; a submission is a folder or an archive", path),
                   fmt::format("opgrade {} {}", verb, shell_path(folder)));
}

void use_tool(GradingArguments& arguments, const ToolWish& wish) {
  if (wish.tool == nullptr) return;
  if (wish.tool->runs_around())
    arguments.tool = wish;
  else if (wish.tool->name == "profile")
    arguments.profile = true;
  else
    arguments.sanitize = true;
}

GraderOptions grader_options(const GradingArguments& arguments, Listener listen) {
  GraderOptions options;
  if (arguments.device != "auto") {
    options.gpu_device = arguments.device == "cuda" ? Device::cuda : Device::emulated;
  }
  options.only = {arguments.only.begin(), arguments.only.end()};
  options.seed = arguments.seed;
  options.unsafe = arguments.unsafe;
  options.profile = arguments.profile;
  options.counts = arguments.profile;
  options.sanitize = arguments.sanitize;
  options.tool = arguments.tool;
  options.data_folder =
      arguments.data.empty() ? resources::data_folder() : fs::path(arguments.data);
  options.config_argument = arguments.config;
  options.listen = std::move(listen);
  return options;
}

int gpus_for(const Config& config, const GraderOptions& options) {
  const auto on_gpu = [](const StageConfig& stage) { return stage.device == Device::cuda; };
  if (options.gpu_device == Device::emulated || std::ranges::none_of(config.stages, on_gpu))
    return 0;
  return count_of_one_model(find_gpus());
}

std::string score_text(const Grade& grade) {
  std::string text = fmt::format("{:g}/{:g}", grade.points, grade.max_points);
  if (grade.open_points > 0) text += fmt::format(" ({:g} open)", grade.open_points);
  return text;
}

std::string progress_text(const GradingProgress& now) {
  const Grade& grade = now.grade;
  std::string text = fmt::format("[{}/{}] {}: {}, {}", now.done, now.all, grade.submission,
                                 words(grade.outcome).text, score_text(grade));
  if (now.reused) return text + " (kept from before)";
  const bool whole = grade.outcome == Outcome::refused || grade.outcome == Outcome::build_failed ||
                     grade.outcome == Outcome::grader_fault;
  if (whole && !grade.reason.empty()) text += ": " + report::sentence_of(grade.reason);
  if (!now.left || now.left->count() == 0) return text;
  // Rounded up, because the pace of the first submissions is not more precise.
  const auto minutes = std::chrono::ceil<std::chrono::minutes>(*now.left).count();
  return text + (minutes < 100 ? fmt::format("; about {} min left", minutes)
                               : fmt::format("; about {} h left", (minutes + 59) / 60));
}

int exit_code_of(std::span<const Grade> grades) {
  using report::Standing;
  const auto any = [&](Standing standing) {
    return std::ranges::any_of(grades, [&](const Grade& grade) {
      return report::grade_verdict(grade).standing == standing;
    });
  };
  // An open submission of a class must not hide a failed one.
  if (any(Standing::fault)) return kFault;
  if (any(Standing::failed)) return kBelowPassMark;
  return any(Standing::undecided) || any(Standing::not_run) ? kFault : kPassed;
}

}  // namespace opgrade::cli
