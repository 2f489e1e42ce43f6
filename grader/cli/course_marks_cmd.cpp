#include <fmt/format.h>

#include <algorithm>

#include "grader/base/core/error.hpp"
#include "grader/base/files/yaml_reader.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/course/gradebook/marks.hpp"
#include "grader/course/gradebook/report_entry.hpp"
#include "grader/service/state/tables.hpp"

namespace opgrade::cli {
namespace {

using course::Mark;

/// The assignment, if it asks for documents. Throws UsageError if it does not.
const course::Assignment& documents_of(const course::CourseFolder& folder,
                                       const std::string& name) {
  const auto& assignment = assignment_of(folder, name);
  if (const auto* const documents = folder.course.report_for(assignment)) return *documents;
  throw UsageError(fmt::format("{} wants no report", name),
                   "add the key 'report' to it in course.yaml: docs/reports.md");
}

struct MarkArguments {
  std::string student, assignment, item, free, points, on, comment, who;
  bool off = false, done = false, reopen = false;
};

/// The decisions of the options, one for each.
std::vector<Mark> marks_of(const MarkArguments& own, std::int64_t document) {
  std::vector<Mark> marks;
  const auto add = [&](Mark::Kind kind, const std::string& name) -> Mark& {
    return marks.emplace_back(Mark{.submission = document,
                                   .at = course::this_second(),
                                   .who = own.who.empty() ? course::user_name() : own.who,
                                   .kind = kind,
                                   .name = name});
  };
  if (!own.item.empty()) add(Mark::Kind::item, own.item).is_on = !own.off;
  if (!own.free.empty()) {
    const auto points = parse_number(own.points);
    if (!points && !own.off)
      throw UsageError("free points need --points, a number such as -1.5",
                       "or take them back with --off");
    Mark& mark = add(Mark::Kind::free, own.free);
    mark.is_on = !own.off;
    mark.points = points.value_or(0);
    mark.text = own.comment;
  } else if (!own.comment.empty()) {
    add(Mark::Kind::comment, own.on).text = own.comment;
  }
  if (own.done || own.reopen) add(Mark::Kind::done, "").is_on = own.done;
  if (marks.empty())
    throw UsageError("nothing is decided", "give --item, --free, --comment, --done or --reopen");
  return marks;
}

void add_mark(arguments::Parser& course_verb) {
  auto* verb = course_verb.add_subcommand(
      "mark", "Mark a student's report: items of its rubric, free points, a comment");
  auto path = add_course_folder(*verb);
  auto own = std::make_shared<MarkArguments>();
  verb->add_option("assignment", own->assignment, "Its name in course.yaml")->required();
  verb->add_option("student", own->student, "Login or id")->required();
  verb->add_option("--item", own->item, "This item of the rubric applies");
  verb->add_option("--free", own->free, "Free points of this group, with --points and --comment");
  verb->add_option("--points", own->points, "The free points, such as -1.5");
  verb->add_flag("--off", own->off, "Take the item or the free points back");
  verb->add_option("--comment", own->comment, "What the student reads");
  verb->add_option("--on", own->on,
                   "The comment is on this group or item; default: the whole report");
  verb->add_flag("--done", own->done, "The report is marked");
  verb->add_flag("--reopen", own->reopen, "The report is not marked yet");
  verb->add_option("--by", own->who, "Name of the grader; default: the current user");
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    documents_of(folder, own->assignment);
    const course::Store store = service::open_store(*path);
    const auto& assignment = assignment_of(folder, own->assignment);
    const auto& student = student_of(folder, own->student);
    const auto report = [&] { return *book_of(folder, store).entry(student, assignment).report; };
    const auto before = report();
    if (!before.counts)
      throw UsageError(
          fmt::format("{} has no report for {} that is accepted", student.login, own->assignment),
          "opgrade course why says which documents came");
    const auto marks = marks_of(*own, before.counted().id);
    for (const Mark& mark : marks) require_allowed(mark, *before.rubric);
    if (!course::applied_rubric(store, own->assignment))
      course::apply_rubric(store, own->assignment, folder.rubrics.at(own->assignment).text,
                           {marks.front().who, marks.front().at});
    course::add_marks(store, marks);
    for (const auto& line : report_derivation(report(), *folder.course.zone))
      fmt::print("{}\n", line);
  });
}

void add_rubric(arguments::Parser& course_verb) {
  auto* verb = course_verb.add_subcommand("rubric",
                                          "Print what a changed rubric would change, and apply it");
  auto path = add_course_folder(*verb);
  struct Own {
    std::string assignment, who;
    bool apply = false;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("assignment", own->assignment, "Its name in course.yaml")->required();
  verb->add_flag("--apply", own->apply, "From now on marks count by the rubric's file");
  verb->add_option("--by", own->who, "Name of the decider; default: the current user");
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const auto& documents = documents_of(folder, own->assignment);
    const course::Store store = service::open_store(*path);
    const course::RubricFile& file = folder.rubrics.at(own->assignment);
    const auto counts = rubric_that_counts(folder, store, documents);
    const auto lines = differences(*counts, file.rubric);
    for (const auto& line : lines) fmt::print("{}\n", line);
    if (lines.empty()) fmt::print("marks count by {} as it is\n", documents.report.rubric);
    for (const auto& move : moves_by(*counts, file.rubric, course::marks_for(store, documents.name),
                                     store.submissions(documents.name)))
      fmt::print("{}, document {}: {} -> {} points\n", move.owner, move.document,
                 course::points_text(move.before), course::points_text(move.after));
    if (own->apply)
      course::apply_rubric(
          store, own->assignment, file.text,
          {own->who.empty() ? course::user_name() : own->who, course::this_second()});
    else if (!lines.empty())
      fmt::print("nothing was changed; --apply does it\n");
  });
}

void add_release(arguments::Parser& course_verb) {
  auto* verb = course_verb.add_subcommand("release", "Let students see the marks of their reports");
  auto path = add_course_folder(*verb);
  struct Own {
    std::string assignment, who;
    bool hold = false;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("assignment", own->assignment, "Its name in course.yaml")->required();
  verb->add_flag("--hold", own->hold, "Hold the marks back again");
  verb->add_option("--by", own->who, "Name of the decider; default: the current user");
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    documents_of(folder, own->assignment);
    const course::Store store = service::open_store(*path);
    course::release_marks(
        store, own->assignment, !own->hold,
        {own->who.empty() ? course::user_name() : own->who, course::this_second()});
    fmt::print("{}: students see {}\n", own->assignment,
               own->hold ? "no marks" : "the marks of each report that is marked");
  });
}

}  // namespace

void add_course_marks(arguments::Parser& course_verb, int&) {
  add_mark(course_verb);
  add_rubric(course_verb);
  add_release(course_verb);
}

}  // namespace opgrade::cli
