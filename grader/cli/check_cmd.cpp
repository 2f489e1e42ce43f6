#include <fmt/format.h>

#include <filesystem>

#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/report/json.hpp"
#include "grader/report/profile_text.hpp"
#include "grader/report/text.hpp"

namespace opgrade::cli {
namespace {

/// `.` and `..` say nothing: then the folder's own name.
std::string title_of(const std::filesystem::path& folder) {
  const auto path = folder.lexically_normal();
  const auto last = path.has_filename() ? path.filename() : path.parent_path().filename();
  if (last != "." && last != "..") return path.string();
  return std::filesystem::canonical(path).filename().string();
}

}  // namespace

void add_check(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("check", "Check one submission and print what is wrong with it");
  auto folder = std::make_shared<std::string>();
  verb->add_option("folder", *folder, "The submission: a folder, a .zip or a .tar.* archive")
      ->required()
      ->check(arguments::existing_path());
  auto arguments = add_grading_options(*verb, "self-check");
  verb->callback([=, &exit_code] {
    const auto config = read_config(arguments->config);
    if (!config) {
      exit_code = kUsage;
      return;
    }
    ProgressLine progress(arguments->quiet);
    Grader grader(
        *config, grader_options(*arguments, [&](const std::string& line) { progress.show(line); }));
    const Grade grade = grader.grade(*folder, title_of(*folder));
    progress.clear();
    fmt::print("{}", arguments->json
                         ? report::json_report(grade, report::Audience::student)
                         : report::text_report(grade, report::Audience::student, stdout_style()));
    if (arguments->profile && !arguments->json) {
      fmt::print("\n{}", report::profile_text(grade, report::Audience::student, stdout_style()));
    }
    exit_code = exit_code_of({&grade, 1});
  });
}

}  // namespace opgrade::cli
