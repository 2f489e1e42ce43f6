// opgrade course backup, restore, export-student and remove-student.
#include <fmt/format.h>

#include "grader/cli/commands.hpp"
#include "grader/cli/course_verbs.hpp"
#include "grader/course/store/student_data.hpp"
#include "grader/service/state/tables.hpp"

namespace opgrade::cli {
namespace {

namespace fs = std::filesystem;

/// Adds a verb that copies a course and checks the copy.
void add_copy(arguments::Parser& course_verb, int& exit_code, const char* name, const char* help,
              const char* from_help) {
  auto* verb = course_verb.add_subcommand(name, help);
  struct Own {
    fs::path from, to;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("from", own->from, from_help)->required();
  verb->add_option("to", own->to, "A new or empty folder")->required();
  verb->callback([=, &exit_code] {
    const auto found = course::copy_course(own->from, own->to);
    exit_code = print_verified(found, service::open_store(own->to), own->to.string() + ": ");
  });
}

void add_export_student(arguments::Parser& course_verb) {
  auto* verb = course_verb.add_subcommand("export-student",
                                          "Write all that the course holds of one student");
  auto path = add_course_folder(*verb);
  struct Own {
    std::string student;
    fs::path out;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("student", own->student, "Login or id")->required();
  verb->add_option("out", own->out, "A new or empty folder")->required();
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    const course::Store store = service::open_store(*path);
    const auto& student = student_of(folder, own->student);
    export_student(folder, store, book_of(folder, store), student, own->out);
    audit_here(store, course::user_name(), "export student", student.login);
    fmt::print("{} is in {}\n", student.login, own->out.string());
  });
}

/// For each assignment, the Op Time by which the student, without a team, is ranked.
std::map<std::string, double> ranked_times(const course::CourseFolder& folder,
                                           const course::Store& store,
                                           const course::Student& student) {
  std::map<std::string, double> times;
  const auto book = book_of(folder, store);
  for (const auto& a : folder.course.assignments) {
    const auto owner = folder.roster.owner_of(student, a);
    if (!book.facts(a).ranking || owner.members.size() > 1) continue;
    for (const Ranked& ranked : book.ranking(a))
      if (ranked.who.name == owner.key && ranked.rank) times[a.name] = ranked.who.time_ms;
  }
  return times;
}

void add_remove_student(arguments::Parser& course_verb) {
  auto* verb = course_verb.add_subcommand(
      "remove-student", "Remove all that the course holds of one student; without --yes, list it");
  auto path = add_course_folder(*verb);
  struct Own {
    std::string student;
    bool sure = false;
  };
  auto own = std::make_shared<Own>();
  verb->add_option("student", own->student, "Login or id")->required();
  verb->add_flag("--yes", own->sure, "Remove it: there is no way back but a backup");
  verb->callback([=] {
    const course::CourseFolder folder = course::open_course_folder(*path);
    course::Store store = service::open_store(*path);
    const auto& student = student_of(folder, own->student);
    const auto told =
        remove_student(folder, store, student, ranked_times(folder, store, student), !own->sure);
    for (const auto& line : told) fmt::print("{}\n", line);
    fmt::print("{}\n", own->sure
                           ? "removed; backups, exports and the folder `shared` of Slurm hold "
                             "what they held before"
                           : "nothing was removed; --yes removes it");
  });
}

}  // namespace

void add_course_data(arguments::Parser& course_verb, int& exit_code) {
  add_copy(course_verb, exit_code, "backup",
           "Copy the course folder, also while it is served, and check the copy",
           "The course folder");
  add_copy(course_verb, exit_code, "restore", "Make a course folder of a backup, and check it",
           "What opgrade course backup wrote");
  add_export_student(course_verb);
  add_remove_student(course_verb);
}

}  // namespace opgrade::cli
