#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <ranges>

#include "grader/cli/commands.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/cli/grading_options.hpp"
#include "grader/core/error.hpp"
#include "grader/core/nearest.hpp"
#include "grader/course/copies.hpp"
#include "grader/course/gradebook_csv.hpp"
#include "grader/course/why.hpp"
#include "grader/files/yaml_reader.hpp"

namespace opgrade::cli {

course::AssignmentFacts facts_of(const std::string& config) {
  return course::facts_of(read_config(config));
}

course::Gradebook book_of(const course::CourseFolder& folder, const course::Store& store) {
  std::map<std::string, course::AssignmentFacts> facts;
  for (const auto& a : folder.course.assignments) facts.emplace(a.name, facts_of(a.config));
  return {folder, store, std::move(facts)};
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
  bool excused = false, undo = false, sure = false;
};

Change change_of(const SetArguments& own, const course::CourseFolder& folder) {
  Change change{.at = course::this_second(),
                .who = own.who.empty() ? course::user_name() : own.who,
                .student = student_of(folder, own.student).login,
                .assignment = assignment_of(folder, own.assignment).name,
                .item = own.item,
                .reason = own.reason};
  if (static_cast<int>(!own.points.empty()) + own.excused + own.undo != 1)
    throw UsageError("one of --points, --excused and --undo is needed", "name exactly one");
  if (!own.points.empty()) {
    change.points = parse_number(own.points);
    if (!change.points || *change.points < 0)
      throw UsageError(fmt::format("--points {} is not a number of at least 0", own.points),
                       "write a number such as 72.5");
  }
  change.kind = !own.item.empty() ? Change::Kind::item
                : own.excused     ? Change::Kind::excused
                : own.undo        ? Change::Kind::none
                                  : Change::Kind::points;
  if (own.item.empty()) return change;
  if (own.excused) throw UsageError("an item cannot be excused", "leave out --item or --excused");
  const auto items = facts_of(assignment_of(folder, own.assignment).config).items;
  const auto known = items.find(own.item);
  if (known == items.end())
    throw UsageError(fmt::format("the config has no open item '{}'", own.item),
                     items.empty() ? "it has none; add open_items to the config"
                                   : fmt::format("its open items are {}",
                                                 fmt::join(std::views::keys(items), ", ")));
  if (change.points.value_or(0) > known->second)
    throw UsageError(fmt::format("{} has at most {:g} points", own.item, known->second),
                     "give fewer points");
  return change;
}

}  // namespace

void add_course_set(arguments::Parser& course_verb) {
  auto* verb = course_verb.add_subcommand(
      "set", "Change a grade by hand, with a reason: points, an open item, or excused");
  auto path = add_course_folder(*verb);
  auto own = std::make_shared<SetArguments>();
  verb->add_option("student", own->student, "Login or id")->required();
  verb->add_option("assignment", own->assignment, "The assignment's name in course.yaml")
      ->required();
  verb->add_option("--points", own->points, "The final points, whatever was graded");
  verb->add_option("--item", own->item, "The points are for this open item of the config");
  verb->add_flag("--excused", own->excused, "The student needs no grade");
  verb->add_flag("--undo", own->undo, "Remove the change that --points, --item or --excused made");
  verb->add_option("--reason", own->reason, "The reason, kept with the change")->required();
  verb->add_option("--by", own->who, "Name of the decider; default: the current user");
  verb->add_flag("--yes", own->sure, "The points are meant, also far above the maximum");
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    Change change = change_of(*own, folder);
    course::Store store = course::Store::open(*path);
    const auto& assignment = assignment_of(folder, own->assignment);
    const auto facts = facts_of(assignment.config);
    if (change.points) change.maximum = facts.maximum;
    if (change.kind == Change::Kind::points && !own->sure &&
        course::is_unlikely(*change.points, facts.maximum))
      throw UsageError(fmt::format("--points {} is more than 20 times the maximum of {}",
                                   own->points, course::points_text(facts.maximum)),
                       "correct it, or add --yes if it is meant; nothing was changed");
    store.change(change);
    const course::Gradebook book(folder, store, {{assignment.name, facts}});
    const course::Entry entry = book.entry(student_of(folder, own->student), assignment);
    fmt::print("{}, {}: {} ({})\n", change.student, change.assignment, grade_text(entry),
               entry.reason);
    if (entry.points.value_or(0) > entry.maximum)
      fmt::print(stderr, "note: {} is above the maximum of {}\n",
                 course::points_text(*entry.points), course::points_text(entry.maximum));
  });
}

void add_course_gradebook(arguments::Parser& course_verb) {
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
    const course::Store store = course::Store::open(*path);
    const course::Gradebook book = book_of(folder, store);
    own->options.now = course::this_second();
    const auto table = gradebook_table(own->format, book, folder, own->options);
    for (const auto& warning : table.warnings) fmt::print(stderr, "{}\n", warning);
    fmt::print("{}", table.csv);
  });
}

void add_course_why(arguments::Parser& course_verb) {
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
    const course::Store store = course::Store::open(*path);
    const course::Gradebook book = book_of(folder, store);
    course::Copies copies;
    copies.add(book.entries());
    for (const auto& a : folder.course.assignments) {
      if (!own->assignment.empty() && own->assignment != a.name) continue;
      const course::Entry entry = book.entry(student, a);
      fmt::print("{}", why_text(entry, folder, store, own->case_id));
      if (const auto owners = copies.owners(entry); !owners.empty())
        fmt::print("  same files as {}\n", fmt::join(owners, ", "));
    }
  });
}

}  // namespace opgrade::cli
