#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "grader/base/files/text_file.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/grading/pipeline/submission_source.hpp"
#include "grader/platform/process/folder_watch.hpp"
#include "grader/platform/process/interrupt.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/report/formats/profile_text.hpp"
#include "grader/report/words/changes.hpp"

namespace opgrade::cli {
namespace {

/// The path as given. For `.` and `..` the folder's own name, because these say nothing.
std::string title_of(const std::filesystem::path& folder) {
  const auto path = folder.lexically_normal();
  const auto last = path.has_filename() ? path.filename() : path.parent_path().filename();
  if (last != "." && last != "..") return path.string();
  return std::filesystem::canonical(path).filename().string();
}

/// `html`: a file for the report as an HTML page; may be empty.
void print_report(const Grade& grade, const GradingArguments& arguments, const std::string& html,
                  const report::SourceOf& source) {
  constexpr auto kAudience = report::Audience::student;
  const auto& exporter = report::exporter(arguments.json ? "json" : "text");
  fmt::print("{}", exporter.write(grade, {kAudience, stdout_style()}));
  if (arguments.profile && !arguments.json)
    fmt::print("\n{}", report::profile_text(grade, kAudience, stdout_style()));
  if (!html.empty())
    write_file(html,
               report::exporter("html").write(grade, {.audience = kAudience, .source = source}));
}

/// Prints the changes since the last grading to stderr, so that the output of --json stays JSON.
void print_changes(const Grade& before, const Grade& after, ProgressLine& progress) {
  constexpr auto kAudience = report::Audience::student;
  const auto changes = report::changes_between(report::view_for(before, kAudience),
                                               report::view_for(after, kAudience));
  if (changes.empty()) progress.say("no case has another outcome or other points than before");
  for (const auto& change : changes) progress.say(change);
}

/// Grades now and whenever a file is saved, until Ctrl-C. Returns the last exit code.
int watch_and_check(const std::string& folder, const std::string& html,
                    const std::shared_ptr<const Config>& config, const GradingArguments& arguments,
                    Grader& grader, ProgressLine& progress) {
  FolderWatch watch(folder);
  std::optional<Grade> before;
  int exit_code = kInterrupted;
  try {
    for (;;) {
      const Grade grade = grader.grade(folder, title_of(folder), GradedAt::hand_in);
      progress.clear();
      print_report(grade, arguments, html, source_of(folder, config));
      std::fflush(stdout);
      if (before) print_changes(*before, grade, progress);
      before = grade;
      exit_code = exit_code_of({&grade, 1});
      progress.say("waiting until a file is saved; Ctrl-C ends");
      progress.say(fmt::format("saved: {}", fmt::join(watch.wait(), ", ")));
    }
  } catch (const interrupt::Interrupted&) {
    if (!before) throw;
  }
  progress.clear();
  return exit_code;
}

}  // namespace

void add_check(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("check", "Check one submission and print its mistakes");
  struct Own {
    std::string folder;
    std::string html;
    std::string progress = "line";
    bool watch = false;
    bool no_counts = false;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("folder", own->folder, "The submission: a folder, a .zip or a .tar.* archive")
      ->required()
      ->check(arguments::existing_path());
  auto arguments = add_folder_options(*verb, "self-check");
  verb->add_option("--html", own->html, "Write the report as a web page to this file too");
  verb->add_flag("--watch", own->watch,
                 "Check again whenever a file is saved and say what changed, until Ctrl-C");
  verb->add_flag("--no-counts", own->no_counts,
                 "On the emulated device: no counts of accesses, and no advice");
  verb->add_option("--progress", own->progress,
                   "On stderr: one line on a terminal, or json, a line for each event")
      ->check(arguments::one_of({"line", "json"}))
      ->capture_default_str();
  verb->callback([=, &exit_code] {
    expect_submission(own->folder, "check");
    choose_config(*arguments, own->folder);
    const auto config = std::make_shared<const Config>(read_config(arguments->config));
    ProgressLine progress(arguments->quiet, own->progress == "json");
    auto options = grader_options(*arguments, progress.listener());
    options.self_check = true;
    options.counts = !own->no_counts;
    Grader grader(*config, std::move(options));
    if (own->watch) {
      exit_code = watch_and_check(own->folder, own->html, config, *arguments, grader, progress);
      return;
    }
    const Grade grade = grader.grade(own->folder, title_of(own->folder), GradedAt::hand_in);
    progress.clear();
    print_report(grade, *arguments, own->html, source_of(own->folder, config));
    exit_code = exit_code_of({&grade, 1});
  });
}

}  // namespace opgrade::cli
