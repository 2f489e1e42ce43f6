#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "grader/base/core/outcome.hpp"
#include "grader/base/core/printable.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/course/results/class_run.hpp"
#include "grader/course/results/class_seed.hpp"
#include "grader/course/results/submission_list.hpp"
#include "grader/grading/pipeline/reference_build.hpp"
#include "grader/report/formats/exporters.hpp"
#include "grader/report/words/class_warning.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/task/config/case_rules.hpp"

namespace opgrade::cli {
namespace {

/// Signs that the config or the machine is wrong, and not the class. The reference solution is
/// graded only if no submission is right.
std::vector<std::string> warnings_of(const std::vector<Grade>& grades, Grader& grader,
                                     const std::string& config) {
  constexpr int kClass = 3;  // all of a smaller class may well be wrong
  std::vector<Outcome> outcomes;
  for (const Grade& grade : grades) outcomes.push_back(grade.outcome);
  std::vector<std::string> warnings;
  if (auto warning = report::class_warning(outcomes); !warning.empty())
    warnings.push_back(std::move(warning));
  const auto wrong = std::ranges::count_if(outcomes, [](Outcome outcome) {
    return is_submission_fault(outcome) && outcome != Outcome::refused;
  });
  if (wrong < kClass || !report::none_right(outcomes)) return warnings;
  const WholeSolution solution(grader.config());
  if (!solution.exists()) return warnings;
  const Grade reference = grader.grade(solution.path(), "the reference solution");
  if (auto warning = report::reference_warning(reference, config); !warning.empty())
    warnings.push_back("no submission is right, and " + warning);
  return warnings;
}

}  // namespace

void add_grade(arguments::Parser& app, int& exit_code) {
  auto* verb =
      app.add_subcommand("grade", "Grade submissions into a results folder; resumes after a stop");
  struct Own {
    std::vector<std::filesystem::path> folders;
    std::filesystem::path out = "results";
    std::optional<int> jobs;
    bool again = false, keep_going = false, unchecked = false;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("folders", own->folders, "The submissions: folders, .zip or .tar.* archives")
      ->required();
  verb->add_option("--out,-o", own->out, "Results folder")->capture_default_str();
  verb->add_option(
          "--jobs,-j", own->jobs,
          "Parallel submissions; timed runs take turns, one on each GPU. Default: 2 for each GPU "
          "if the machine has 4 cores for each submission; without a GPU half of the cores, or 1 "
          "if points depend on CPU times")
      ->check(arguments::range(1, 256));
  verb->add_flag("--again", own->again, "Also grade submissions that have a current result");
  verb->add_flag("--keep-going,-k", own->keep_going,
                 "Continue when the grader fails on the first 3 submissions");
  verb->add_flag(kUnchecked, own->unchecked, kUncheckedHelp);
  auto arguments = add_grading_options(*verb, "minidnn");
  verb->callback([=, &exit_code] {
    const Config config = read_config(arguments->config);
    if (!own->unchecked) expect_checked_task(config);
    const SubmissionList list = list_submissions(own->folders, own->out);
    for (const auto& skipped : list.skipped) fmt::print(stderr, "skipped {}\n", skipped);
    ProgressLine progress(arguments->quiet);
    GraderOptions grading = grader_options(*arguments, progress.listener());
    const int jobs =
        own->jobs.value_or(default_jobs(gpus_for(config, grading), cpu_times_count(config)));
    grading.parallel_runs = std::min(jobs, static_cast<int>(list.submissions.size()));
    grading.whole_class = grading.for_class = true;
    grading.seed = class_seed(own->out, list.submissions, {grading.seed, own->again});
    if (list.submissions.size() > 1) grading.handed_in = std::chrono::system_clock::now();
    Grader grader(config, std::move(grading));
    ClassOptions options{own->out, jobs, own->again, own->keep_going};
    options.progress = [&](const GradingProgress& now) { progress.say(progress_text(now)); };
    const ClassGrading grading_by{
        [&](const auto& submission, const auto& name) { return grader.grade(submission, name); },
        [&](const Grade& had, const auto& submission) {
          return grader.is_current(had, submission);
        },
        [&](const auto& submission) { return grader.files_of(submission); },
        std::make_shared<const Config>(config)};
    const auto [grades, in_table, unreadable] = grade_class(grading_by, list.submissions, options);
    const auto warnings = warnings_of(grades, grader, arguments->config);
    progress.clear();
    for (const auto& warning : warnings) fmt::print(stderr, "{}\n", printable_line(warning, 1000));
    for (const auto& folder : unreadable)
      fmt::print(stderr, "not in the table: {} holds no readable report.json\n", folder.string());
    if (arguments->json) {
      std::string reports;
      for (const Grade& grade : grades) {
        reports += (reports.empty() ? "" : ",\n") +
                   report::exporter("json").write(grade, {report::Audience::staff});
      }
      fmt::print("[{}]\n", reports);
    } else {
      for (const Grade& grade : grades) {
        fmt::print("{:<24} {:<16} {:>14}  {}\n", grade.submission, words(grade.outcome).text,
                   score_text(grade), report::sentence_of(grade.reason));
      }
      if (!list.skipped.empty())
        fmt::print("{} skipped: {}\n", list.skipped.size(), fmt::join(list.skipped, ", "));
      fmt::print("{} graded; table of all {} results {}, reports {}/<name>/\n", grades.size(),
                 in_table, (own->out / "grades.csv").string(), own->out.string());
      if (const auto seed = grader.seed())
        fmt::print("seed of the random cases, the same for all: {}\n", *seed);
    }
    exit_code = exit_code_of(grades);
  });
}

}  // namespace opgrade::cli
