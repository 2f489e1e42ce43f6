#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/nearest.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/base/core/shell_word.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/course/exchange/code_export.hpp"
#include "grader/course/gradebook/copies.hpp"
#include "grader/course/gradebook/gradebook.hpp"
#include "grader/grading/score/rank.hpp"
#include "grader/report/formats/csv.hpp"
#include "grader/report/words/reason_words.hpp"
#include "grader/service/state/tables.hpp"
#include "grader/task/config/config_task.hpp"
#include "grader/task/folder/folder_task.hpp"

namespace opgrade::cli {

course::AssignmentFacts facts_of(const std::string& config) {
  return course::facts_of(read_config(config));
}

course::Gradebook book_of(const course::CourseFolder& folder, const course::Store& store) {
  std::map<std::string, course::AssignmentFacts> facts;
  for (const auto& a : folder.course.assignments) facts.emplace(a.name, facts_of(a.config));
  return {folder, store, std::move(facts), {.now = course::this_second()}};
}

const course::Student& student_of(const course::CourseFolder& folder, const std::string& name) {
  if (const course::Student* const found = folder.roster.find(name)) return *found;
  std::set<std::string> logins;
  for (const auto& student : folder.roster.students) logins.insert(student.login);
  const auto meant = nearest(name, logins);
  throw UsageError(
      fmt::format("the roster has no student '{}'", name),
      meant ? fmt::format("did you mean {}?", *meant) : "name a login or an id of roster.csv");
}

namespace {

namespace fs = std::filesystem;
using course::Change;

struct SetArguments {
  std::string student, assignment, points, item, reason, who;
  std::optional<int> submission;  ///< 0: the rule decides
  bool excused = false, undo = false, sure = false;
};

Change change_of(const SetArguments& own, const course::CourseFolder& folder,
                 const course::AssignmentFacts& facts) {
  if (static_cast<int>(!own.points.empty()) + own.excused + own.undo +
          static_cast<int>(own.submission.has_value()) !=
      1)
    throw UsageError("one of --points, --excused, --submission and --undo is needed",
                     "name exactly one");
  if (!own.item.empty() && (own.excused || own.submission))
    throw UsageError("an item has points alone", "leave out --item, or give --points");
  Change change{.at = course::this_second(),
                .who = own.who.empty() ? course::user_name() : own.who,
                .student = student_of(folder, own.student).login,
                .assignment = own.assignment,
                .kind = !own.item.empty() ? Change::Kind::item
                        : own.submission  ? Change::Kind::counts
                        : own.excused     ? Change::Kind::excused
                        : own.undo        ? Change::Kind::none
                                          : Change::Kind::points,
                .item = own.item,
                .reason = own.reason,
                .submission = own.submission.value_or(0) == 0
                                  ? std::nullopt
                                  : std::optional<std::int64_t>(*own.submission)};
  take_points(change, own.points, facts, own.sure);
  return change;
}

/// Applies to each member of a team.
void choose_submission(const course::CourseFolder& folder, course::Store& store,
                       const course::Assignment& assignment, Change change) {
  const auto owner = folder.roster.owner_of(student_of(folder, change.student), assignment);
  const auto all = store.submissions(assignment.name, owner.key);
  if (change.submission &&
      std::ranges::find(all, *change.submission, &course::Submission::id) == all.end())
    throw UsageError(fmt::format("submission {} is none of {} for {}", *change.submission,
                                 owner.key, assignment.name),
                     "opgrade course why lists the submissions with their numbers");
  for (const auto* const member : owner.members) {
    change.student = member->login;
    store.change(change);
  }
}

}  // namespace

void add_course_set(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand("set",
                                          "Change a grade by hand, with a reason: points, an open "
                                          "item, excused, or the submission that "
                                          "counts");
  auto path = add_course_folder(*verb);
  auto own = std::make_shared<SetArguments>();
  verb->add_option("student", own->student, "Login or id")->required();
  verb->add_option("assignment", own->assignment, "The assignment's name in course.yaml")
      ->required();
  verb->add_option("--points", own->points, "The final points, whatever was graded");
  verb->add_option("--item", own->item, "The points are for this open item of the config");
  verb->add_option("--submission", own->submission,
                   "This submission counts, whatever the rule says; 0: the rule decides again");
  verb->add_flag("--excused", own->excused, "The student needs no grade");
  verb->add_flag("--undo", own->undo, "Remove the change that --points, --item or --excused made");
  verb->add_option("--reason", own->reason, "The reason, kept with the change")->required();
  verb->add_option("--by", own->who, "Name of the decider; default: the current user");
  verb->add_flag("--yes", own->sure, "The points are meant, also far above the maximum");
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const auto& assignment = assignment_of(folder, own->assignment);
    course::Store store = service::open_store(*path);
    const auto facts = facts_of(assignment.config);
    const course::Gradebook now(folder, store, {{assignment.name, facts}});
    const Change change = change_of(*own, folder, now.facts(assignment));
    if (change.kind == Change::Kind::counts)
      choose_submission(folder, store, assignment, change);
    else
      store.change(change);
    const course::Gradebook book(folder, store, {{assignment.name, facts}},
                                 {.now = course::this_second()});
    const course::Entry entry = book.entry(student_of(folder, own->student), assignment);
    fmt::print("{}, {}: {} ({})\n", change.student, change.assignment, grade_text(entry),
               entry.reason);
    if (entry.points.value_or(0) > entry.maximum)
      fmt::print(stderr, "note: {} is above the maximum of {}\n",
                 course::points_text(*entry.points), course::points_text(entry.maximum));
  });
}

void add_course_gradebook(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand(
      "gradebook", "Print the points after late rules, extensions and changes, as CSV");
  auto path = add_course_folder(*verb);
  struct Own {
    std::string format = "plain";
    course::TableOptions options;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("assignment", own->options.only, "Only this assignment");
  verb->add_option("--format,-f", own->format, "The system that imports the table")
      ->check(arguments::one_of(course::table_formats()))
      ->capture_default_str();
  verb->add_flag("--missing-is-zero", own->options.missing_is_zero,
                 "0 for students without a submission, instead of an empty cell");
  verb->add_flag("--as-graded", own->options.as_graded,
                 "Export also grades whose config, task or program changed since");
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    if (!own->options.only.empty()) assignment_of(folder, own->options.only);
    const course::Store store = service::open_store(*path);
    const course::Gradebook book = book_of(folder, store);
    own->options.now = course::this_second();
    const auto table = gradebook_table(own->format, book, folder, own->options);
    for (const auto& warning : table.warnings) fmt::print(stderr, "{}\n", warning);
    fmt::print("{}", table.csv);
  });
}

void add_course_why(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand(
      "why", "Explain a student's points: rules, gradings, reasons, changes");
  auto path = add_course_folder(*verb);
  struct Own {
    std::string student, case_id, assignment;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("student", own->student, "Login or id")->required();
  verb->add_option("case", own->case_id, "A case such as cpu/high/100, with its samples");
  verb->add_option("--assignment,-a", own->assignment, "Only this assignment");
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const course::Student& student = student_of(folder, own->student);
    if (!own->assignment.empty()) assignment_of(folder, own->assignment);
    const course::Store store = service::open_store(*path);
    const course::Gradebook book = book_of(folder, store);
    const course::Copies copies(book.entries());
    for (const auto& a : folder.course.assignments) {
      if (!own->assignment.empty() && own->assignment != a.name) continue;
      const course::Entry entry = book.entry(student, a);
      fmt::print("{}", why_text(entry, folder, own->case_id));
      if (const auto owners = copies.owners(entry); !owners.empty())
        fmt::print("  same files as {}\n", fmt::join(owners, ", "));
    }
  });
}

void add_course_rank(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand(
      "rank", "Print the ranking of the submissions that count, as CSV, with each reason");
  auto path = add_course_folder(*verb);
  auto name = std::make_shared<std::string>();
  verb->add_option("assignment", *name, "Its name in course.yaml")->required();
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const auto& assignment = assignment_of(folder, *name);
    const Config config = read_config(assignment.config);
    if (!config.ranking)
      throw UsageError(fmt::format("the config of {} has no ranking", *name),
                       "add 'ranking' to it: configs/README.md has the keys");
    const course::Store store = service::open_store(*path);
    const course::Gradebook book(folder, store, {{assignment.name, course::facts_of(config)}});
    const auto table = book.ranking(assignment);
    if (is_provisional(table))
      fmt::print(stderr,
                 "provisional: `opgrade course final {} {}` times all that count once more\n",
                 shell_path(path->string()), *name);
    fmt::print("rank,name,time_ms,rank_points,reason\r\n");
    for (const Ranked& row : table) {
      fmt::print("{},{},{},{},{}\r\n", row.rank ? std::to_string(*row.rank) : "",
                 report::csv_cell(row.who.name),
                 row.rank ? fmt::format("{:.4g}", row.who.time_ms) : "",
                 row.open ? "" : course::points_text(row.points),
                 report::csv_cell((row.rank ? "" : "not ranked because: ") +
                                  report::sentence_of(row.reason)));
    }
  });
}

void add_course_export_code(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand(
      "export-code", "Write the sources that count, a folder for each owner, for JPlag or MOSS");
  auto path = add_course_folder(*verb);
  struct Own {
    std::string assignment;
    fs::path out, base, include;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("assignment", own->assignment, "Its name in course.yaml")->required();
  verb->add_option("out", own->out, "A new or empty folder")->required();
  verb->add_option("--base", own->base,
                   "The code that all were given; default: the template of the assignment's task")
      ->check(arguments::existing_path());
  verb->add_option("--include", own->include,
                   "An earlier term's export of export-code, to compare with")
      ->check(arguments::existing_path());
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const auto& assignment = assignment_of(folder, own->assignment);
    const course::Store store = service::open_store(*path);
    const Config config = read_config(assignment.config);
    const auto exported = export_code(folder, store, assignment, config, own->out);
    for (const auto& [owner, why] : exported.left_out)
      fmt::print(stderr, "{} is left out: {}\n", owner, why);
    const std::string out = shell_path(own->out.string());
    const auto tasks = folder_tasks(config);
    const fs::path base = !own->base.empty() ? own->base
                          : tasks.empty()    ? resources::share_folder() / "student_template"
                                             : tasks.front()->folder() / "template";
    if (tasks.size() > 1 && own->base.empty())
      fmt::print(
          stderr,
          "only the template of {} is left out of the comparison; --base names a folder with "
          "those of all exercises\n",
          tasks.front()->description().name);
    const std::string earlier = own->include.empty() ? "" : shell_path(own->include.string());
    std::string given;  // moss takes file names one by one
    std::error_code ignored;
    for (const auto& file : fs::directory_iterator(base, ignored))
      if (file.is_regular_file(ignored)) given += "-b " + shell_path(file.path().string()) + " ";
    fmt::print("{} in {}\n  java -jar jplag.jar -l cpp -bc {} {}{}\n  moss -l cc {}-d {}/*/*{}\n",
               counted(exported.written, "submission"), own->out.string(),
               shell_path(base.string()), earlier.empty() ? "" : "-old " + earlier + " -new ", out,
               given, out, earlier.empty() ? "" : " " + earlier + "/*/*");
  });
}

}  // namespace opgrade::cli
