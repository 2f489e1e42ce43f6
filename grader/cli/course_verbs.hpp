/// The verbs of `opgrade course`.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "grader/arguments/arguments.hpp"
#include "grader/course/course_folder.hpp"

namespace opgrade::cli {

/// The first argument of each verb.
std::shared_ptr<std::filesystem::path> add_course_folder(arguments::Parser& verb);

/// Throws UsageError, with the names that there are.
const course::Assignment& assignment_of(const course::CourseFolder& folder,
                                        const std::string& name);

void add_course_add(arguments::Parser& course_verb, int& exit_code);
void add_course_grade(arguments::Parser& course_verb, int& exit_code);
void add_course_set(arguments::Parser& course_verb, int& exit_code);
void add_course_gradebook(arguments::Parser& course_verb, int& exit_code);
void add_course_why(arguments::Parser& course_verb, int& exit_code);

}  // namespace opgrade::cli
