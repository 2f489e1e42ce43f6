/// Which grading a grade or its cases come from, and what the grade counts for.
#pragma once

#include <cstdint>
#include <vector>

#include "grader/base/core/notes/alternative.hpp"

namespace opgrade::notes {

/// Cases of a stage whose results are taken from an earlier grading by the same rules.
struct NotRunAgain {
  std::string stage;
  std::int64_t cases = 0, of = 0;
  std::string made;  ///< UTC, ISO 8601: when that grading began
  OPGRADE_NOTE(NotRunAgain, not_run_again);
};
/// Submissions of an assignment with the same files are graded once.
struct SameFiles {
  std::string made;  ///< UTC, ISO 8601: when the shared grade was made
  OPGRADE_NOTE(SameFiles, same_files);
};
struct PracticeRun {
  std::string tool;  ///< the tool of the run, as named in course.yaml; or empty
  OPGRADE_NOTE(PracticeRun, practice_run);
};
/// What the hand-in means for the student's grade of the assignment.
struct GradeOfAssignment {
  std::string assignment;
  std::string points;              ///< "12 of 20 points"
  std::vector<std::string> steps;  ///< how the points follow from the hand-ins
  OPGRADE_NOTE(GradeOfAssignment, grade_of_assignment);
};

}  // namespace opgrade::notes
