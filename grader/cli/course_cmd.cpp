#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <vector>

#include "grader/base/core/counted.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/resources.hpp"
#include "grader/cli/commands.hpp"
#include "grader/cli/course_program.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/course/folder/course_folder.hpp"
#include "grader/course/folder/fields.hpp"
#include "grader/course/gradings/grade_assignment.hpp"
#include "grader/course/store/store.hpp"
#include "grader/service/state/tables.hpp"
#include "grader/task/config/load.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;
using course::Assignment;
using course::CourseFolder;

std::string rule_text(const Assignment& a, int slip_days) {
  std::string text = rule_text(a.late, slip_days);
  if (a.grace.count() > 0) text += fmt::format("; grace {}", course::span_text(a.grace));
  if (a.attempts_a_day > 0) text += fmt::format("; {} graded a day", a.attempts_a_day);
  using Which = course::Counting::Which;
  text += a.counts.which == Which::last   ? "; the last submission counts"
          : a.counts.which == Which::best ? "; the best submission counts"
                                          : fmt::format(
                                                "; the median of {} gradings of the last "
                                                "submission counts",
                                                a.counts.of);
  if (a.teams) text += "; by team";
  return text;
}

void print_course(const CourseFolder& folder) {
  const auto& [path, course, roster, rubrics] = folder;
  fmt::print("{}\n{}; times are those of {}\n\n", course.title,
             counted(roster.students.size(), "student"), course.zone->name());
  if (course.gpu.hours)
    fmt::print("the GPU's hours: {}\n",
               hours_text(*course.gpu.hours, *course.zone, course::this_second()));
  if (const auto end = course.delete_at())
    fmt::print("{} {}\n",
               *end < course::this_second()
                   ? "WARNING: delete this folder and its backups; kept until"
                   : "kept until",
               course.zone->text(*end));
  for (const auto& a : course.assignments) {
    const Config config = read_config(a.config);
    fmt::print("{}: {}, graded by {}: {:g} points{}\n  due {}\n  {}\n", a.name, a.title, a.config,
               config.max_points(),
               config.pass_mark > 0 ? fmt::format(", {:g} to pass", config.pass_mark) : "",
               course.zone->text(a.deadline), rule_text(a, course.slip_days));
    for (const auto& [section, deadline] : a.section_deadlines)
      fmt::print("  due for section {}{} {}\n", section,
                 std::ranges::find(roster.students, section, &course::Student::section) ==
                         roster.students.end()
                     ? ", in which the roster has no student,"
                     : "",
                 course.zone->text(deadline));
    const auto* const documents = course.report_for(a);
    if (documents != nullptr) {
      const std::string& file = documents->report.file;
      fmt::print("  {}{}: {:g} points by {}, due {}\n  {}\n", file,
                 documents->report.required ? ", required" : "",
                 rubrics.at(a.name).rubric.maximum(), documents->report.rubric,
                 course.zone->text(documents->deadline), rule_text(documents->late));
      for (const auto& [section, deadline] : documents->section_deadlines)
        fmt::print("  {} due for section {} {}\n", file, section, course.zone->text(deadline));
    }
    if (a.opens) fmt::print("  opens {}\n", course.zone->text(*a.opens));
    if (!a.released) fmt::print("  grades are held: students see none of them\n");
    for (const auto& student : roster.students) {
      if (const auto found = student.extended.find(a.name); found != student.extended.end())
        fmt::print("  extended for {} to {}\n", student.login, course.zone->text(found->second));
      if (documents == nullptr) continue;
      if (const auto found = student.extended.find(documents->name);
          found != student.extended.end())
        fmt::print("  {} extended for {} to {}\n", documents->report.file, student.login,
                   course.zone->text(found->second));
    }
  }
}

/// Reads the configs, because course.yaml only names them.
void check_configs(const CourseFolder& folder) {
  std::string problems, hint;
  for (const auto& a : folder.course.assignments) {
    try {
      facts_of(a.config);
    } catch (const UsageError& e) {
      problems += fmt::format("{}{}: {}: {}", problems.empty() ? "" : "\n",
                              (folder.path / course::kCourseFile).string(), a.name, e.what());
      hint = e.hint;
    }
  }
  if (!problems.empty()) throw UsageError(problems, hint);
}

/// Prints the grades by outdated rules, and a warning if the reference solution fails.
void print_outdated(const CourseFolder& folder) {
  std::error_code none;
  if (!fs::exists(folder.path / course::kDatabase, none)) return;
  const course::Store store = service::open_store(folder.path);
  const course::Gradebook book = book_of(folder, store);
  for (const auto& a : folder.course.assignments) {
    if (const auto warning = reference_warning(folder.path, a, book.facts(a).rules.value());
        !warning.empty())
      fmt::print("\nWARNING: {}\n", warning);
    const auto lines = outdated_grades(folder, book, a, dump_config(read_config(a.config)));
    if (lines.empty()) continue;
    fmt::print("\n{}: grades by other rules than those of now\n", a.name);
    for (const auto& line : lines) fmt::print("  {}\n", line);
    fmt::print("  next: opgrade course rejudge {} {} --outdated{} --reason ...\n",
               folder.path.string(), a.name,
               a.counts.of > 1 ? fmt::format(" --times {}", a.counts.of) : "");
  }
}

constexpr const char* kTermCourse =
    R"(# yaml-language-server: $schema={}
# The labs and milestones of {}. Fill in each deadline and roster.csv, a line for each student.
# opgrade course check DIR reads this file and says what it means.
opgrade_course: 1
title: GPU programming, {}
time_zone: America/Chicago   # an IANA name: deadlines are times of this clock

# Keys of an assignment:
#   name       in commands and paths
#   title      long name, on the pages
#   config     what is graded, and for how many points: one of opgrade's own, or a file in this folder
#   deadline   the last second in time; 24:00 is the end of that day
#   counts     last unless given; best, or 'median of 3' gradings of the last submission
#   teams      true: one submission counts for all of a team
# and, if you add them:
#   opens: 2026-09-01 08:00              the service takes nothing before it
#   late: {{percent_a_day: 10, days: 3}}   also points_a_day, percent_of_maximum_a_day; else nothing late
#                                        is accepted
#   grace: 10 min                        not counted as late, at the deadline and each late day's end
#   attempts_a_day: 5                    graded submissions of a student and day; else any number
assignments:)";

/// The labs of a term: those of the table's last year that is not after the term.
std::vector<std::string> labs_of(const std::string& term) {
  const auto table =
      YAML::LoadFile((resources::share_folder() / "labs/ece408/terms.yaml").string());
  std::vector<std::string> labs;
  for (const auto& entry : table)
    if (entry.first.Scalar() <= term.substr(0, 4))
      labs = entry.second.as<std::vector<std::string>>();
  return labs;
}

/// course.yaml with the term's labs and milestones, and a config for each milestone: the stages
/// m1-cpu and m1-gpu are parts of m1.
std::map<std::string, std::string> term_course(const std::string& term) {
  const auto terms = term_names();
  if (std::ranges::find(terms, term) == terms.end())
    throw UsageError(fmt::format("there is no term '{}'", term),
                     fmt::format("the terms are {}", fmt::join(terms, ", ")));
  std::string course = fmt::format(
      kTermCourse, (resources::share_folder() / "configs/course.schema.json").string(), term, term);
  const auto add = [&](const std::string& name, const std::string& title, const std::string& config,
                       const char* more) {
    course +=
        fmt::format("\n  - name: {}\n    title: {}\n    config: {}\n    deadline: {} 23:59\n{}",
                    name, title, config, course::kDateToFillIn, more);
  };
  int number = 0;
  for (const auto& lab : labs_of(term)) {
    const std::string form = lab + "_program";  // without the ending it is one function
    add(fmt::format("lab{}", ++number), read_config(form).title, form, "    counts: best\n");
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> milestones;
  for (const auto& stage : read_config(term).stages) {
    const std::string name = stage.name.substr(0, stage.name.find('-'));
    if (milestones.empty() || milestones.back().first != name) milestones.push_back({name, {}});
    milestones.back().second.push_back(stage.name);
  }
  std::map<std::string, std::string> files;
  for (const auto& [name, stages] : milestones) {
    const std::string title = fmt::format("Conv-forward {}, {}", term, name);
    files[name + ".yaml"] =
        fmt::format("extends: {}\nopgrade: 1\nname: {}-{}\ntitle: {}\nonly: [{}]\n", term, term,
                    name, title, fmt::join(stages, ", "));
    add(name, title, name + ".yaml", "    teams: true\n");
  }
  files[course::kCourseFile] = course;
  files[course::kRosterFile] =
      "id,login,name,email,section,team,extension\n"
      "100001,ada,Ada Lovelace,ada@example.edu,A,engines,\n";
  return files;
}

void add_course_init(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand("init", "Make a course folder with an example to edit");
  auto folder = std::make_shared<fs::path>();
  auto term = std::make_shared<std::string>();
  verb->add_option("folder", *folder, "A new or empty folder")->required();
  verb->add_option("--term", *term, "A term such as 2026sp: its labs and milestones")
      ->suggest(term_names);
  verb->callback([=] {
    course::make_course_folder(
        *folder, term->empty() ? std::map<std::string, std::string>{} : term_course(*term));
    service::open_store(*folder);  // for programs that read its tables before they are used
    fmt::print(
        "{0} is ready. Edit {0}/course.yaml and {0}/roster.csv, then run: opgrade course check "
        "{0}\n",
        folder->string());
  });
}

void add_course_check(arguments::Parser& course_verb, int&) {
  auto* verb = course_verb.add_subcommand(
      "check",
      "Check course.yaml, its configs and roster.csv; print deadlines, rules, and grades by other "
      "rules");
  auto folder = add_course_folder(*verb);
  verb->callback([=] {
    const CourseFolder opened = course::open_course_folder(*folder);
    check_configs(opened);
    print_course(opened);
    print_outdated(opened);
    if (const auto complaint = course::open_to_others(*folder); !complaint.empty())
      fmt::print("\nWARNING: {}\n", complaint);
  });
}

void add_course_verify(arguments::Parser& course_verb, int& exit_code) {
  auto* verb =
      course_verb.add_subcommand("verify", "Check the database against the files of the course");
  auto path = add_course_folder(*verb);
  verb->callback([=, &exit_code] {
    const CourseFolder folder = course::open_course_folder(*path);
    const course::Store store = service::open_store(*path);
    const auto found = verify(folder, store);
    exit_code = print_verified(found, store, "");
  });
}

}  // namespace

ExitCode print_verified(const std::vector<std::string>& found, const course::Store& store,
                        const std::string& what) {
  for (const auto& line : found) fmt::print("{}\n", line);
  fmt::print("{}{} and {}; {}\n", what, counted(store.submissions().size(), "submission"),
             counted(store.attempts().size(), "result"),
             found.empty() ? "database and files agree" : counted(found.size(), "difference"));
  return found.empty() ? kPassed : kFault;
}

std::shared_ptr<fs::path> add_course_folder(arguments::Parser& verb) {
  auto folder = std::make_shared<fs::path>();
  verb.add_option("course", *folder, "The course folder")->required();
  return folder;
}

const Assignment& assignment_of(const CourseFolder& folder, const std::string& name) {
  if (const Assignment* const found = folder.course.find(name);
      found != nullptr && found->report_of.empty())
    return *found;
  std::vector<std::string> names;
  for (const auto& a : folder.course.assignments) names.push_back(a.name);
  throw UsageError(fmt::format("the course has no assignment '{}'", name),
                   fmt::format("its assignments are {}", fmt::join(names, ", ")));
}

void add_course(arguments::Parser& app, int& exit_code) {
  auto* verb = add_course_verb(app, "course");
  for (AddVerb* add :
       {add_course_init, add_course_check, add_course_add, add_course_grade, add_course_rejudge,
        add_course_final, add_course_run_batch, add_course_set, add_course_marks,
        add_course_gradebook, add_course_why, add_course_rank, add_course_export_code,
        add_course_verify, add_course_data, add_course_tokens})
    add(*verb, exit_code);
}

}  // namespace opgrade::cli
