/// The gradebook as tables for course systems.
#pragma once

#include <string>
#include <vector>

#include "grader/course/gradebook.hpp"

namespace opgrade::course {

struct GradebookTable {
  std::string csv;
  /// Cells that are left empty because something is open, and grades above the maximum.
  std::vector<std::string> warnings;
};

struct TableOptions {
  std::string only;              ///< this assignment alone; empty: all
  bool missing_is_zero = false;  ///< else a student without a submission has an empty cell
};

/// One line for each student and assignment, with state and reason.
GradebookTable plain_table(const Gradebook& book, const CourseFolder& folder,
                           const TableOptions& options);
/// Columns "<title> (<assignment id>)", and the row "Points Possible". Canvas takes a header
/// without an id for a new assignment.
GradebookTable canvas_table(const Gradebook& book, const CourseFolder& folder,
                            const TableOptions& options);
/// As Gradescope exports grades: columns "<title>" and "<title> - Max Points".
GradebookTable gradescope_table(const Gradebook& book, const CourseFolder& folder,
                                const TableOptions& options);
/// "-" is no grade.
GradebookTable moodle_table(const Gradebook& book, const CourseFolder& folder,
                            const TableOptions& options);

}  // namespace opgrade::course
