/// The options that check and grade have in common.
#pragma once

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
  std::string device = "auto";
  std::vector<std::string> only;
  std::optional<std::uint64_t> seed;
  std::string data;
  bool unsafe = false;
  bool json = false;
  bool quiet = false;
  bool profile = false;
  bool sanitize = false;
  ToolWish tool;  ///< that writes a file
};

void add_device_option(arguments::Parser& verb, std::string& device);

/// Adds the options to a verb, with its default config. The returned arguments are filled when the
/// verb is parsed.
std::shared_ptr<GradingArguments> add_grading_options(arguments::Parser& verb, std::string config);

/// The names of opgrade's own configs of terms: "2026sp".
std::vector<std::string> term_names();

/// A bare name is looked up among opgrade's own configs. Prints all problems of the config to
/// stderr, then throws UsageError.
Config read_config(const std::string& argument);

/// Throws UsageError for a task's folder that did not pass its own check as it is. `verb`: what is
/// not done with it.
void expect_checked_task(const Config& config, const char* verb = "grades");

/// The option by which verbs grade with such a task all the same.
inline constexpr const char* kUnchecked = "--unchecked";
inline constexpr const char* kUncheckedHelp =
    "Grade with a task's folder that `opgrade task check` does not know as right";

/// Throws UsageError for the path of a source file, with the command for its folder.
void expect_submission(const std::string& path, std::string_view verb);

/// Has the run use this tool, whichever it is.
void use_tool(GradingArguments& arguments, const ToolWish& wish);

GraderOptions grader_options(const GradingArguments& arguments, Listener listen);

/// How many devices the GPU stages will run on.
int gpus_for(const Config& config, const GraderOptions& options);

/// "50/90 (10 open)".
std::string score_text(const Grade& grade);

/// "[3/9] ada: passed, 50/90; about 4 min left"; with the reason where that is the whole
/// submission's, such as a missing file.
std::string progress_text(const GradingProgress& now);

/// The exit code after grading these (ExitCode of commands.hpp): that of the worst. Where nothing
/// of one could be run, a pipeline must not continue as after a pass.
int exit_code_of(std::span<const Grade> grades);

}  // namespace opgrade::cli
