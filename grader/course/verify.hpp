/// Checks a course's database against its files.
#pragma once

#include <string>
#include <vector>

#include "grader/course/course_folder.hpp"
#include "grader/course/store.hpp"

namespace opgrade::course {

/// One line for each difference, with what to do; empty when all agree.
std::vector<std::string> verify(const CourseFolder& folder, const Store& store);

}  // namespace opgrade::course
