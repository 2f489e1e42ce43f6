/// The explanation of a grade, for staff who answer a student.
#pragma once

#include <string>
#include <vector>

#include "grader/course/gradebook.hpp"
#include "grader/report/view.hpp"

namespace opgrade::course {

/// How the grade came about, a line each: the deadline, which submission counts and why, its
/// gradings, lateness and cost, what staff gave and set. Students read no reason and no name of
/// staff.
std::vector<std::string> derivation(const Entry& entry, const CourseFolder& folder,
                                    report::Audience audience);

/// When a grading began, on the course's clock: results name it in UTC. Another text stays.
std::string local_text(const std::string& started, const TimeZone& zone);

/// Rule, submissions, attempts, points with their reasons, and changes. `case_id` shows the samples
/// and findings of this case alone; empty: the points of all cases.
std::string why_text(const Entry& entry, const CourseFolder& folder, const std::string& case_id);

}  // namespace opgrade::course
