/// Which of an owner's submissions are graded and count: pure functions.
#pragma once

#include <string>
#include <vector>

#include "grader/course/course_config.hpp"
#include "grader/course/roster.hpp"
#include "grader/course/store.hpp"

namespace opgrade::course {

struct Standing {
  Submission submission;
  Lateness late;
  bool graded = false;  ///< to be graded: it can count
  std::string why_not;  ///< where it is not graded
};

/// `submissions` are the owner's for this assignment, in the order of time. One that cannot be
/// graded takes no place of a day, and is graded only where no other one can count.
std::vector<Standing> standings(const Course& course, const Assignment& assignment,
                                const Owner& owner, std::vector<const Submission*> submissions);

}  // namespace opgrade::course
