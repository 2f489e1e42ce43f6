/// Grades the submissions of an assignment that have no current result.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "grader/app/class_run.hpp"
#include "grader/course/course_folder.hpp"
#include "grader/course/store.hpp"

namespace opgrade::course {

/// The grader's side; see grading_by() for the real one.
struct CourseGrading {
  std::function<Grade(const std::filesystem::path& file, const std::string& name)> grade;
  /// True for a result that need not be made again.
  std::function<bool(const Grade&)> is_current;
};
CourseGrading course_grading_by(Grader& grader);

struct CourseRun {
  std::size_t current = 0;           ///< gradings that were there
  std::size_t graded = 0;            ///< new ones, faults among them
  std::size_t faults = 0;            ///< grader faults: the next run grades these again
  std::vector<std::string> unknown;  ///< owners that the roster lacks; nothing of them is graded
};

/// Each result is in the store as soon as it is there, so an interrupt or a kill costs only what
/// was in work. `options.results` and `options.again` are set here. Throws Error when another
/// process grades this course, and as grade_class() does.
CourseRun grade_assignment(const CourseFolder& folder, Store& store, const Assignment& assignment,
                           const CourseGrading& grading, ClassOptions options);

}  // namespace opgrade::course
