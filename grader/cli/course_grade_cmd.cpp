#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <map>
#include <mutex>
#include <optional>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/cli/terminal.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/course/results/class_run.hpp"
#include "grader/course/results/class_seed.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/grading/pipeline/program_version.hpp"
#include "grader/report/words/events.hpp"
#include "grader/service/state/tables.hpp"
#include "grader/task/config/case_rules.hpp"
#include "grader/task/config/load.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

/// Prints which grades have outdated rules, because new rules change no grade by themselves.
void print_outdated(const course::CourseFolder& folder, const course::Store& store,
                    const course::Assignment& assignment, const Config& config) {
  const course::Gradebook book(folder, store, {{assignment.name, course::facts_of(config)}});
  std::int64_t outdated = 0;
  for (const auto& student : folder.roster.students) {
    const course::Entry entry = book.entry(student, assignment);
    if (entry.outdated && !entry.graded_by_config.empty()) ++outdated;
  }
  if (outdated == 0) return;
  fmt::print(
      "{}: {} by other rules than those of now, and stay: opgrade course check {} says what "
      "changed; opgrade course rejudge {} {} --outdated grades them again\n",
      assignment.name, counted(outdated, "grade is", "grades are"), folder.path.string(),
      folder.path.string(), assignment.name);
}

}  // namespace

course::Rules rules_now(const course::CourseFolder& folder, const Config& config) {
  const std::string text = dump_config(config);
  course::keep_config(folder.path, text);
  course::keep_task(folder.path, config);
  return {course::sha256_of_text(text), program_version()};
}

bool is_on_slurm(const course::Assignment& assignment, const ExecutorArguments& own) {
  return own.executor.empty() ? assignment.on_slurm : own.executor == "slurm";
}

course::CourseRun with_executor(const course::CourseFolder& folder,
                                const course::Assignment& assignment, const Config& config,
                                const ExecutorArguments& own, const ExecutorWork& work,
                                const EarlierOf& earlier) {
  if (!own.unchecked) expect_checked_task(config);
  GradingArguments of_assignment = *own.grading;
  ProgressLine progress(of_assignment.quiet);
  // A rejudge has its own config.
  if (of_assignment.config.empty()) of_assignment.config = assignment.config;
  GraderOptions grading = grader_options(of_assignment, progress.listener());
  grading.whole_class = grading.for_class = true;
  grading.seed =
      class_seed(folder.path / course::kResults / assignment.name, {}, {grading.seed, false});
  course::CourseOptions options{.within_lock = own.within_lock, .keep_going = own.keep_going};
  options.progress = [&](const GradingProgress& now) {
    progress.say(assignment.name + " " + progress_text(now));
  };
  options.log = [&](const std::string& line) { progress.say(assignment.name + ": " + line); };
  const Listener log_event = [&](const Event& event) {
    options.log(report::event_text(event, report::Audience::staff));
  };
  const course::Rules rules = rules_now(folder, config);
  if (is_on_slurm(assignment, own)) {
    const auto executor =
        slurm_executor(folder, assignment, {config, grading, own.resume, log_event});
    return work(rules, *executor, options);
  }
  if (own.resume)
    throw UsageError("--resume waits for Slurm's arrays, and the executor is local",
                     "leave it out: submissions with a result are not graded again");
  const int gpus = gpus_for(config, grading);
  const int jobs = own.jobs.value_or(default_jobs(gpus, cpu_times_count(config)));
  grading.parallel_runs = jobs;
  grading.handed_in = std::chrono::system_clock::now();
  std::optional<Grader> grader;  // made for the first job: it uses the GPU at once
  std::once_flag made;
  const auto make = [&] {
    grader.emplace(config, grading);
    if (own.only_rescoring) return;
    check_reference(
        folder.path, config, rules,
        [&](const fs::path& file, const std::string& name, GradedAt at) {
          return grader->grade(file, name, at);
        },
        log_event);
    if (const auto warning = reference_warning(folder.path, assignment, rules); !warning.empty())
      progress.say(warning);
  };
  const auto waits = [&](const course::GradingJob& job) -> std::string {
    if (own.only_rescoring) {
      std::call_once(made, make);
      const auto was = earlier(job.file);
      return was && grader->only_scores(job.file, *was) ? "" : "its cases have to run";
    }
    const auto now = course::this_second();
    if (gpus == 0 || !folder.course.gpu_closed_until(now)) return "";
    return fmt::format("the GPU's hours are {}; repeat the command then",
                       hours_text(*folder.course.gpu.hours, *folder.course.zone, now));
  };
  course::LocalExecutor executor(
      [&](const fs::path& file, const std::string& name, GradedAt at) {
        std::call_once(made, make);
        return grader->grade(file, name, earlier ? earlier(file) : std::nullopt, std::nullopt, at);
      },
      jobs, waits);
  return work(rules, executor, options);
}

std::shared_ptr<ExecutorArguments> add_executor_options(arguments::Parser& verb) {
  auto own = std::make_shared<ExecutorArguments>();
  verb.add_option("--jobs,-j", own->jobs, "Parallel submissions, as in opgrade grade")
      ->check(arguments::range(1, 256));
  verb.add_flag("--keep-going,-k", own->keep_going,
                "Continue when the grader fails on the first 3 submissions");
  verb.add_option("--executor", own->executor,
                  "local, or slurm for a cluster's nodes; default: course.yaml's")
      ->check(arguments::one_of({"local", "slurm"}));
  verb.add_flag("--resume", own->resume,
                "Wait for the Slurm arrays of earlier calls, and submit no others");
  verb.add_flag(kUnchecked, own->unchecked, kUncheckedHelp);
  own->grading = add_grading_options(verb, "");
  // Removes --config, because the config is the assignment's, and --only, because a result of some
  // cases is not a grade.
  for (const char* option : {"--config", "--only", "--json"}) verb.remove_option(option);
  return own;
}

int print_run(const std::string& assignment, const course::CourseRun& run) {
  if (run.faults > 0)
    fmt::print("{}: {}; run opgrade doctor, then repeat the command\n", assignment,
               counted(run.faults, "grader fault"));
  std::map<std::string, std::vector<std::string>> owners;  // by reason
  for (const auto& [job, why] : run.undone) owners[why].push_back(job.owner);
  for (const auto& [why, all] : owners)
    fmt::print("{}: {} not graded ({}): {}\n", assignment,
               counted(all.size(), "submission is", "submissions are"), fmt::join(all, ", "), why);
  return run.faults > 0 || !run.undone.empty() ? kFault : kPassed;
}

void add_course_grade(arguments::Parser& course_verb, int& exit_code) {
  auto* verb = course_verb.add_subcommand(
      "grade", "Grade submissions that count and have no result; resumes after a stop");
  auto path = add_course_folder(*verb);
  auto name = std::make_shared<std::string>();
  verb->add_option("assignment", *name, "Only this assignment");
  auto own = add_executor_options(*verb);
  verb->callback([=, &exit_code] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    std::vector<const course::Assignment*> assignments;
    if (!name->empty()) {
      assignments.push_back(&assignment_of(folder, *name));
    } else {
      for (const auto& a : folder.course.assignments) assignments.push_back(&a);
    }
    course::Store store = service::open_store(*path);
    for (const course::Assignment* a : assignments) {
      if (store.submissions(a->name).empty()) {
        fmt::print("{}: no submissions\n", a->name);
        continue;
      }
      const Config config = read_config(a->config);
      const course::CourseRun run =
          with_executor(folder, *a, config, *own,
                        [&](const auto& rules, course::Executor& executor, const auto& options) {
                          return grade_assignment(folder, store, *a, rules, executor, options);
                        });
      fmt::print("{}: {} graded, {} a result\n", a->name, run.graded,
                 counted(static_cast<std::int64_t>(run.had), "submission had", "submissions had"));
      print_outdated(folder, store, *a, config);
      if (print_run(a->name, run) != kPassed) exit_code = kFault;
      if (const auto warning = course::config_warning(store, a->name); !warning.empty())
        fmt::print(stderr, "{}\n", warning);
      if (!run.unknown.empty())
        fmt::print("{}: not in the roster, not graded: {}\n", a->name,
                   fmt::join(run.unknown, ", "));
    }
  });
}

}  // namespace opgrade::cli
