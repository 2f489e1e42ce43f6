/// The explanation of a grade, for staff who answer a student.
#pragma once

#include <string>

#include "grader/course/gradebook.hpp"

namespace opgrade::course {

/// Rule, submissions, attempts, points with their reasons, and changes. `case_id` shows the samples
/// and findings of this case alone; empty: the points of all cases.
std::string why_text(const Entry& entry, const CourseFolder& folder, const Store& store,
                     const std::string& case_id);

}  // namespace opgrade::course
