#include <fmt/format.h>

#include "grader/app/result_folder.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/core/error.hpp"
#include "grader/report/github.hpp"
#include "grader/report/gradescope.hpp"
#include "grader/report/html.hpp"
#include "grader/report/json.hpp"
#include "grader/report/junit.hpp"
#include "grader/report/text.hpp"
#include "grader/report/transcript.hpp"

namespace opgrade::cli {
namespace {

std::string in_format(const Grade& grade, const std::string& format, report::Audience audience) {
  if (format == "json") return report::json_report(grade, audience);
  if (format == "junit") return report::junit_report(grade, audience);
  if (format == "html") return report::html_report(grade, audience);
  if (format == "transcript") return report::transcript(grade, audience);
  if (format == "github") return report::github_annotations(grade, audience);
  if (format == "summary") return report::github_summary(grade, audience);
  if (format == "gradescope") return report::gradescope_results(grade, audience);
  return report::text_report(grade, audience, stdout_style());
}

}  // namespace

void add_show(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("show", "Print a stored result again, in any format");
  struct Own {
    std::string folder, format = "text";
    bool staff = false;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("folder", own->folder, "A submission's folder in the results")
      ->required()
      ->check(arguments::existing_folder());
  verb->add_option("--format,-f", own->format,
                   "text, json, junit, html, transcript, github (annotations), summary (Markdown) "
                   "or gradescope")
      ->check(arguments::one_of(
          {"text", "json", "junit", "html", "transcript", "github", "summary", "gradescope"}))
      ->capture_default_str();
  verb->add_flag("--staff", own->staff, "Show hidden cases in full");
  verb->callback([=, &exit_code] {
    const auto grade = read_result(own->folder);
    if (!grade)
      throw UsageError(own->folder + " holds no readable report.json",
                       "name one submission's folder in the results");
    fmt::print("{}", in_format(*grade, own->format,
                               own->staff ? report::Audience::staff : report::Audience::student));
    exit_code = kPassed;
  });
}

}  // namespace opgrade::cli
