#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/base/core/error.hpp"
#include "grader/base/core/gpu_rates.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/cli/tool_options.hpp"
#include "grader/grading/device/gpu.hpp"
#include "grader/grading/pipeline/selection.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/report/formats/profile_compare.hpp"
#include "grader/report/formats/profile_text.hpp"

namespace opgrade::cli {
namespace {

struct PaperFlags {
  bool markdown = false, latex = false, csv = false;
};

/// The case to profile if the line names none: a case of the first GPU stage.
std::string case_to_profile(const Config& config, bool emulated) {
  const Selection all(config, {});
  for (const auto& stage : config.stages) {
    if (stage.device == Device::cpu) continue;
    const auto id = all.to_profile(stage, emulated ? Device::emulated : Device::cuda);
    if (!id.empty()) return id;
  }
  throw UsageError("the config has no visible GPU case to profile",
                   "name another with --config, such as minidnn");
}

/// The cases of the student's report: all that a student sees and that count. The emulated device
/// has no times, so each stage on it has only its smallest case.
std::vector<std::string> cases_to_report(const Config& config, bool emulated) {
  const Selection all(config, {});
  std::vector<std::string> ids;
  for (const auto& stage : config.stages) {
    if (stage.device != Device::cpu && emulated) {
      if (auto id = all.to_profile(stage, Device::emulated); !id.empty())
        ids.push_back(std::move(id));
      continue;
    }
    for (const CaseConfig& wanted : stage.cases)
      if (!wanted.hidden && !wanted.advice) ids.push_back(case_id(stage, wanted));
  }
  if (ids.empty())
    throw UsageError("the config has no visible case to report",
                     "name another with --config, such as minidnn");
  return ids;
}

void expect_no_file(const std::string& name) {
  std::error_code ignored;
  if (std::filesystem::exists(name, ignored))
    throw UsageError(name + " is there already", "move it away: the tool's file gets this name");
}

/// The exporter of the format that the line names; empty if it names none.
std::string paper_format(const PaperFlags& flags, bool json, bool compares) {
  std::vector<std::string> formats;
  if (flags.markdown) formats.emplace_back("markdown");
  if (flags.latex) formats.emplace_back("latex");
  if (flags.csv) formats.emplace_back("tables");
  if (formats.empty()) return {};
  if (formats.size() > 1 || json)
    throw UsageError("--markdown, --latex, --csv and --json each fill the standard output",
                     "give one of them, and run the command again for another");
  if (compares)
    throw UsageError("--compare has no tables for a report",
                     "leave out --compare, or --markdown, --latex or --csv");
  return formats.front();
}

}  // namespace

void add_profile(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("profile",
                                  "Profile a GPU submission: kernels, API calls, copies, roofline");
  auto folder = std::make_shared<std::string>();
  auto html = std::make_shared<std::string>();
  verb->add_option("folder", *folder, "The submission: a folder, a .zip or a .tar.* archive")
      ->required()
      ->check(arguments::existing_path());
  verb->add_option("--html", *html, "Write the whole report with the roofline to this file");
  auto before = std::make_shared<std::string>();
  verb->add_option("--compare", *before,
                   "Another version: show its counts beside those of the submission")
      ->check(arguments::existing_path());
  auto roofline = std::make_shared<std::string>();
  verb->add_option("--roofline", *roofline, "The GPU by whose rates advice is given")
      ->check(arguments::one_of({kGpuNames.begin(), kGpuNames.end()}));
  auto paper = std::make_shared<PaperFlags>();
  verb->add_flag("--markdown", paper->markdown,
                 "Run all visible cases and print the tables for your own report, in Markdown");
  verb->add_flag("--latex", paper->latex, "The same tables in LaTeX");
  verb->add_flag("--csv", paper->csv, "The same tables in CSV");
  auto tools = std::make_shared<ToolOptions>();
  tools->add_to(*verb, "On a GPU, and write the tool's file here: ", true);
  auto arguments = add_folder_options(*verb, "minidnn");
  verb->remove_option("--profile");  // this verb always profiles
  verb->callback([=, &exit_code] {
    expect_submission(*folder, "profile");
    const std::string format = paper_format(*paper, arguments->json, !before->empty());
    choose_config(*arguments, *folder);
    Config config = read_config(arguments->config);
    arguments->profile = true;
    if (!roofline->empty()) config.roofline = *roofline;
    config.pass_mark = 0;  // a pass mark means nothing for one case of many
    if (arguments->only.empty()) {
      const bool gpu = arguments->device != "emulated" && find_gpu().has_value();
      arguments->only = format.empty() ? std::vector{case_to_profile(config, !gpu)}
                                       : cases_to_report(config, !gpu);
    }
    use_tool(*arguments, tools->wish());
    ProgressLine progress(arguments->quiet);
    GraderOptions options = grader_options(*arguments, progress.listener());
    options.keep_tool_file = [](const ToolFile& file) { write_file(file.name, file.bytes); };
    const auto grade_of = [&](const std::filesystem::path& submission, const GraderOptions& how) {
      Grader grader(config, how);
      for (const auto& file : grader.tool_files()) expect_no_file(file);
      return grader.grade(submission, submission.lexically_normal().string());
    };
    const Grade grade = grade_of(*folder, options);
    options.tool = {};
    const auto old = before->empty() ? std::nullopt : std::optional(grade_of(*before, options));
    progress.clear();
    using report::Audience;
    if (!html->empty())
      write_file(*html,
                 report::exporter("html").write(grade, {.audience = Audience::student,
                                                        .compared_with = old ? &*old : nullptr}));
    if (old)
      fmt::print("{}\n",
                 report::profile_comparison(*old, grade, Audience::student, stdout_style()));
    const std::string exported = arguments->json ? "json" : format;
    fmt::print("{}", exported.empty()
                         ? report::profile_text(grade, Audience::student, stdout_style())
                         : report::exporter(exported).write(grade, {Audience::student}));
    exit_code = grade.outcome == Outcome::grader_fault || grade.outcome == Outcome::not_emulated
                    ? kFault
                : grade.outcome == Outcome::passed ? kPassed
                                                   : kBelowPassMark;
  });
}

}  // namespace opgrade::cli
