/// The options that check and grade have in common.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grader/base/arguments/arguments.hpp"
#include "grader/course/results/tally.hpp"
#include "grader/grading/pipeline/grader.hpp"
#include "grader/grading/profile/device_tool.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade::cli {

struct GradingArguments {
  std::string config;
  std::string otherwise;  ///< the config of a folder without one of its own
  std::string device = "auto";
  std::vector<std::string> only;
  std::optional<std::uint64_t> seed;
  std::string data;
  bool unsafe = false;
  bool json = false;
  bool quiet = false;
  bool profile = false;
  bool sanitize = false;
  ToolWish tool;  ///< a tool that writes a file
};

void add_device_option(arguments::Parser& verb, std::string& device);

/// Adds the options to a verb, with its default config. The returned arguments are filled when the
/// verb is parsed.
std::shared_ptr<GradingArguments> add_grading_options(arguments::Parser& verb, std::string config);

/// The options of a verb for one submission. Without --config the config is that which
/// `opgrade init` noted in the submission's folder, else this one: see choose_config().
std::shared_ptr<GradingArguments> add_folder_options(arguments::Parser& verb,
                                                     std::string otherwise);

/// Fills `config` after the verb is parsed.
void choose_config(GradingArguments& arguments, const std::filesystem::path& folder);

/// The names of the configs of terms that come with opgrade: "2026sp".
std::vector<std::string> term_names();

/// A bare name is looked up among opgrade's own configs. Prints all problems of the config to
/// stderr, then throws UsageError.
Config read_config(const std::string& argument);

/// Throws UsageError if the folder of a task, in its present state, has not passed its own check.
/// `verb`: what is not done with the task.
void expect_checked_task(const Config& config, const char* verb = "grades");

/// The option that allows grading with such a task.
inline constexpr const char* kUnchecked = "--unchecked";
inline constexpr const char* kUncheckedHelp =
    "Grade with a task's folder that `opgrade task check` does not know as right";

/// Throws UsageError if the path is a source file, with the command for its folder.
void expect_submission(const std::string& path, std::string_view verb);

/// Makes the run use this tool.
void use_tool(GradingArguments& arguments, const ToolWish& wish);

GraderOptions grader_options(const GradingArguments& arguments, Listener listen);

/// Number of devices on which the GPU stages will run.
int gpus_for(const Config& config, const GraderOptions& options);

/// "50/90 (10 open)".
std::string score_text(const Grade& grade);

/// "[3/9] ada: passed, 50/90; about 4 min left". Adds the reason if it concerns the whole
/// submission, such as a missing file.
std::string progress_text(const GradingProgress& now);

/// The exit code (ExitCode of commands.hpp) of several grades: the worst one. If nothing of a
/// submission could be run, the code is not that of a pass, so that a pipeline stops.
int exit_code_of(std::span<const Grade> grades);

}  // namespace opgrade::cli
