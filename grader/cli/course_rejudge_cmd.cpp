#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/outcome.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/course/gradings/rejudge.hpp"
#include "grader/course/store/result_files.hpp"
#include "grader/service/state/tables.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/own_configs.hpp"

namespace opgrade::cli {
namespace {

using course::Rejudge;

struct RejudgeArguments {
  std::string assignment;
  std::optional<int> number;
  bool apply = false, cancel = false, list = false;
  course::RejudgeOrder order;
};

/// The id of an outcome that is written as in a report or as in JSON.
std::string verdict_id(const std::string& text) {
  std::vector<std::string_view> ids;
  for (const auto& outcome : kOutcomes) {
    if (text == outcome.id || text == outcome.text) return std::string(outcome.id);
    ids.push_back(outcome.id);
  }
  throw UsageError(fmt::format("there is no outcome '{}'", text),
                   fmt::format("the outcomes are {}", fmt::join(ids, ", ")));
}

Rejudge rejudge_of(const course::Store& store, const std::string& assignment, int number) {
  for (auto& rejudge : store.rejudges())
    if (rejudge.id == number && rejudge.assignment == assignment) return std::move(rejudge);
  throw UsageError(fmt::format("{} has no rejudge {}", assignment, number),
                   "--list shows those that there are");
}

void print_list(const course::Store& store, const course::CourseFolder& folder,
                const std::string& assignment) {
  for (const auto& r : store.rejudges()) {
    if (r.assignment != assignment) continue;
    fmt::print("rejudge {}, {}: {}; {} each with {}; by {} at {} - {}{}\n", r.id, name_of(r.state),
               r.filter, counted(r.repeat, "grading"), r.config, r.who,
               folder.course.zone->text(r.at), r.reason,
               r.decided_by.empty() ? "" : ", decided by " + r.decided_by);
  }
}

void print_preview(const course::CourseFolder& folder, const course::Store& store,
                   const course::Assignment& assignment, const Rejudge& rejudge) {
  const auto changes = preview(folder, store, assignment, rejudge, facts_of(assignment.config),
                               facts_of(rejudge.config));
  for (const auto& change : changes)
    fmt::print("{:<16} {} -> {}\n", change.student->login, change.before, change.after);
  fmt::print("rejudge {}, {}: {} would change\n", rejudge.id, name_of(rejudge.state),
             counted(changes.size(), "grade"));
}

void decide(const course::CourseFolder& folder, course::Store& store,
            const course::Assignment& assignment, const Rejudge& rejudge,
            const RejudgeArguments& own) {
  if (own.apply) {
    require_applicable(folder, store, rejudge,
                       course::sha256_of_text(dump_config(read_config(assignment.config))));
    print_preview(folder, store, assignment, rejudge);
  }
  course::decide(folder, store, rejudge, own.apply, course::this_second(), own.order.who);
  audit_here(store, own.order.who, own.apply ? "apply rejudge" : "cancel rejudge",
             fmt::format("{} of {}", rejudge.id, rejudge.assignment));
  fmt::print("rejudge {} {}\n", rejudge.id, own.apply ? "applied" : "cancelled");
}

int grade_again(const course::CourseFolder& folder, course::Store& store,
                const course::Assignment& assignment, RejudgeArguments own,
                const ExecutorArguments& executor_arguments) {
  GradingArguments& arguments = *executor_arguments.grading;
  std::optional<Rejudge> rejudge;
  if (own.number) {
    rejudge = rejudge_of(store, assignment.name, *own.number);
    arguments.config = rejudge->config;
  } else {
    if (own.order.reason.empty())
      throw UsageError("a rejudge needs its --reason", "say why it is graded again");
    if (!own.order.filter.verdict.empty())
      own.order.filter.verdict = verdict_id(own.order.filter.verdict);
    if (own.order.repeat % 2 == 0)
      throw UsageError(fmt::format("--times {} is even: it has no single median", own.order.repeat),
                       "give an odd number");
    if (arguments.config.empty()) arguments.config = assignment.config;
    // The path is absolute, so that the service, which continues the rejudge in another folder,
    // finds the file.
    if (arguments.config.find('/') != std::string::npos)
      arguments.config = std::filesystem::absolute(arguments.config).lexically_normal().string();
    own.order.config = arguments.config;
  }
  const Config config = read_config(arguments.config);
  std::map<std::filesystem::path, course::Attempt> earlier;
  const auto run = with_executor(
      folder, assignment, config, executor_arguments,
      [&](const auto& rules, course::Executor& executor, const auto& options) {
        if (!rejudge) {
          rejudge = begin_rejudge(folder, store, assignment, rules, own.order, options);
          audit_here(
              store, own.order.who, "begin rejudge",
              fmt::format("{} of {}: {}", rejudge->id, rejudge->assignment, rejudge->reason));
        }
        if (!is_on_slurm(assignment, executor_arguments)) {
          earlier = earlier_results(folder, store, assignment, *rejudge);
          for (const auto& line : runs_again(folder, store, assignment, *rejudge, config))
            fmt::print("{}\n", line);
        }
        return run_rejudge(folder, store, *rejudge, rules, executor, options);
      },
      [&](const std::filesystem::path& file) -> std::optional<EarlierRun> {
        const auto found = earlier.find(file);
        if (found == earlier.end()) return std::nullopt;
        return earlier_run(folder, found->second, config);
      });
  const int code = print_run(assignment.name, run);
  if (own.order.filter.final && code == kPassed) {
    own.apply = true;
    decide(folder, store, assignment,
           rejudge_of(store, assignment.name, static_cast<int>(rejudge->id)), own);
    return code;
  }
  print_preview(folder, store, assignment, *rejudge);
  if (code == kPassed)
    fmt::print("to decide: opgrade course rejudge {} {} --number {} --apply, or --cancel\n",
               folder.path.string(), assignment.name, rejudge->id);
  return code;
}

/// Uses one GPU only, so that the times of all submissions are comparable.
void hide_other_gpus() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const std::string all = visible != nullptr ? visible : "0";
  ::setenv("CUDA_VISIBLE_DEVICES", all.substr(0, all.find(',')).c_str(), 1);
}

}  // namespace

void add_course_final(arguments::Parser& course_verb, int& exit_code) {
  auto* verb = course_verb.add_subcommand(
      "final", "Time all submissions that count once more, in turn on one GPU: that decides");
  auto path = add_course_folder(*verb);
  auto own = std::make_shared<RejudgeArguments>();
  verb->add_option("assignment", own->assignment, "Its name in course.yaml")->required();
  verb->add_option("--by", own->order.who, "Name of the decider; default: the user who runs this");
  auto executor = add_executor_options(*verb);
  verb->callback([=, &exit_code] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const auto& assignment = assignment_of(folder, own->assignment);
    course::Store store = service::open_store(*path);
    RejudgeArguments with_user = *own;
    if (with_user.order.who.empty()) with_user.order.who = course::user_name();
    with_user.order.filter.final = true;
    with_user.order.repeat = 3;
    with_user.order.reason = course::kFinalTiming;
    // Continues a rejudge that was interrupted.
    for (const auto& rejudge : store.rejudges())
      if (rejudge.assignment == assignment.name && rejudge.filter == course::kFinalTiming &&
          rejudge.state == Rejudge::State::open)
        with_user.number = static_cast<int>(rejudge.id);
    hide_other_gpus();
    exit_code = grade_again(folder, store, assignment, with_user, *executor);
  });
}

void add_serve_rejudge(arguments::Parser& app, int& exit_code) {
  auto* verb = app.add_subcommand("serve-rejudge", "Make the gradings of a rejudge");
  verb->hide();
  auto path = add_course_folder(*verb);
  auto own = std::make_shared<RejudgeArguments>();
  verb->add_option("assignment", own->assignment, "Its name in course.yaml")->required();
  verb->add_option("number", own->number, "Of the rejudge")->required();
  auto executor = add_executor_options(*verb);
  executor->within_lock = true;
  verb->add_flag(kOnlyRescoring, executor->only_rescoring, "Leave what has to run");
  verb->callback([=, &exit_code] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    course::Store store = service::open_store(*path);
    exit_code = grade_again(folder, store, assignment_of(folder, own->assignment), *own, *executor);
  });
}

void add_course_rejudge(arguments::Parser& course_verb, int& exit_code) {
  auto* verb = course_verb.add_subcommand(
      "rejudge", "Grade a set of submissions again, preview the changes, apply or cancel them");
  auto path = add_course_folder(*verb);
  auto own = std::make_shared<RejudgeArguments>();
  verb->add_option("assignment", own->assignment, "Its name in course.yaml")->required();
  auto& order = own->order;
  verb->add_option("--verdict", order.filter.verdict,
                   "Only submissions with this outcome, such as wrong_output");
  verb->add_option("--student", order.filter.student,
                   "Only these logins or ids, separated by commas");
  verb->add_option("--machine", order.filter.machine, "Only gradings of a machine with this name");
  verb->add_option("--version", order.filter.version, "Only gradings by this opgrade version");
  verb->add_flag("--outdated", order.filter.outdated,
                 "Only grades whose config, task or program changed since");
  verb->add_flag("--open", order.filter.open, "Only grades with points that are not decided");
  verb->add_option("--times", order.repeat, "Gradings of each: 1, 3, 5, 7 or 9; the median counts")
      ->check(arguments::range(1, 9))
      ->capture_default_str();
  verb->add_option("--reason", order.reason,
                   "The reason, which students whose points change read; a new one needs it");
  verb->add_option("--by", order.who, "Name of the decider; default: the user who runs this");
  verb->add_option("--number", own->number, "Continue or decide this rejudge");
  verb->add_flag("--apply", own->apply, "Its gradings count from now on");
  verb->add_flag("--cancel", own->cancel, "Its gradings never count");
  verb->add_flag("--list", own->list, "Print the rejudges of the assignment");
  auto executor = add_executor_options(*verb);
  verb->add_option("--config,-c", executor->grading->config,
                   "Config file, or the name of an opgrade config; default: the assignment's")
      ->suggest(own_config_names);
  verb->callback([=, &exit_code] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const auto& assignment = assignment_of(folder, own->assignment);
    course::Store store = service::open_store(*path);
    RejudgeArguments with_user = *own;
    if (with_user.order.who.empty()) with_user.order.who = course::user_name();
    if (own->list) {
      print_list(store, folder, assignment.name);
    } else if (own->apply || own->cancel) {
      if (own->apply == own->cancel || !own->number)
        throw UsageError(
            own->apply == own->cancel
                ? "--apply and --cancel exclude each other"
                : fmt::format("{} needs --number", own->apply ? "--apply" : "--cancel"),
            "Give exactly one of --apply and --cancel, and --number. `opgrade course "
            "rejudge --list` prints the numbers.");
      decide(folder, store, assignment, rejudge_of(store, assignment.name, *own->number),
             with_user);
    } else {
      exit_code = grade_again(folder, store, assignment, with_user, *executor);
    }
  });
}

}  // namespace opgrade::cli
