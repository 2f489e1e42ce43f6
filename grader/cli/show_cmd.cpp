#include <fmt/format.h>

#include "grader/base/core/error.hpp"
#include "grader/base/core/system_random.hpp"
#include "grader/base/files/text_file.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/report/formats/exporters.hpp"

namespace opgrade::cli {
namespace {

/// The submission's folder, if it is below the current folder, which is the repository's top in a
/// CI system. Empty for an archive, and for a submission outside of it.
std::string folder_below_here(const std::string& submission) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_directory(submission, ignored)) return "";
  const fs::path below = fs::path(submission).lexically_relative(fs::current_path());
  return below.empty() || below == "." || *below.begin() == ".." ? "" : below.string();
}

}  // namespace

void add_show(arguments::Parser& app, int&) {
  auto* verb = app.add_subcommand("show", "Print a stored result again, in any format");
  struct Own {
    std::string folder, format = "text";
    bool staff = false;
    std::string metadata, ranked;
    report::GradescopeLate late;
  };
  auto own = std::make_shared<Own>();
  std::vector<std::string> names;
  for (const report::Exporter& e : report::exporters()) names.emplace_back(e.name);
  verb->add_option("folder", own->folder, "A submission's folder in the results")
      ->required()
      ->check(arguments::existing_folder());
  verb->add_option("--format,-f", own->format, "One of " + report::list_of_exporters())
      ->check(arguments::one_of(names))
      ->capture_default_str();
  verb->add_flag("--staff", own->staff, "Show hidden cases in full");
  auto* metadata = verb->add_option("--metadata", own->metadata,
                                    "gradescope: submission_metadata.json, for the late rule");
  metadata->check(arguments::existing_file());
  verb->add_option("--late-percent", own->late.percent_per_day,
                   "gradescope: percent of the points that each late day takes")
      ->check(arguments::range(0, 100))
      ->needs(metadata);
  verb->add_option("--late-days", own->late.days,
                   "gradescope: no points after this number of late days")
      ->check(arguments::range(0, 1000))
      ->needs(metadata);
  verb->add_option("--late-grace", own->late.grace_minutes,
                   "gradescope: minutes after the due date that are not late")
      ->check(arguments::range(0, 10'000))
      ->needs(metadata);
  verb->add_option("--leaderboard", own->ranked,
                   "gradescope: the case whose Op Time is ranked, such as gpu/high/10000");
  verb->callback([=] {
    const auto grade = read_result(own->folder);
    if (!grade)
      throw UsageError(own->folder + " holds no readable report.json",
                       "name one submission's folder in the results");
    SystemRandom random;
    report::ExportOptions options{own->staff ? report::Audience::staff : report::Audience::student,
                                  stdout_style(),
                                  fmt::format("{:016x}{:016x}", random(), random()),
                                  {{}, own->late, own->ranked},
                                  folder_below_here(grade->submission_path)};
    if (!own->metadata.empty()) options.gradescope.metadata = text_of_file(own->metadata);
    fmt::print("{}", report::exporter(own->format).write(*grade, options));
  });
}

}  // namespace opgrade::cli
