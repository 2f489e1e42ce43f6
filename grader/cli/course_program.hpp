/// The verbs of opgrade-course, a second program with the class, its service and the students'
/// client.
#pragma once

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "grader/base/arguments/arguments.hpp"

namespace opgrade::cli {

struct CourseVerb {
  const char* name;
  const char* about;
};
inline constexpr CourseVerb kCourseVerbs[] = {
    {"course", "Manage a course: roster, deadlines, submissions, grades, gradebook"},
    {"submit", "Hand in to a service and print its verdict"},
    {"login", "Store a token of a service, read from stdin"},
    {"queue", "The queue of a service, and your places in it"},
    {"history", "Your submissions and their points"},
    {"ranking", "The ranking of an assignment"},
    {"fetch", "Download a submission, or the files to start from of an assignment"},
    {"cancel", "Take a submission out of the queue"},
    {"serve", "Serve a course over HTTP: submissions, queue, verdicts, ranking"},
};

/// In opgrade-course: adds the verb of this name, which must be in the list.
inline arguments::Parser* add_course_verb(arguments::Parser& app, std::string_view name) {
  for (const CourseVerb& verb : kCourseVerbs)
    if (verb.name == name) return app.add_subcommand(verb.name, verb.about);
  std::abort();
}

/// In opgrade: adds verbs for which the process becomes opgrade-course with `words`, the whole
/// line.
void add_course_program(arguments::Parser& app, const std::vector<std::string>& words);

/// In opgrade: lets opgrade-course complete a line of these verbs; returns for other lines.
void complete_in_course_program(const std::vector<std::string>& words);

}  // namespace opgrade::cli
