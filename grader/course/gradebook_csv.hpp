/// The gradebook as tables for course systems.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/course/gradebook.hpp"

namespace opgrade::course {

struct GradebookTable {
  std::string csv;
  /// Cells that are left empty because something is open, grades above the maximum, and in the
  /// plain format grades by other rules.
  std::vector<std::string> warnings;
};

struct TableOptions {
  std::string only;              ///< this assignment alone; empty: all
  bool missing_is_zero = false;  ///< else a student without a submission has an empty cell
  bool as_graded = false;        ///< also grades whose config, task or program changed since
  Moment now = Moment::max();    ///< until its deadline no submission is missing
};

/// Their names.
std::vector<std::string> table_formats();

/// The table of one of table_formats().
///   plain       One line for each student and assignment, with state and reason.
///   canvas      Columns "<title> (<assignment id>)", and the row "Points Possible". Canvas takes a
///               header without an id for a new assignment.
///   gradescope  As Gradescope exports grades: columns "<title>" and "<title> - Max Points".
///   moodle      "-" is no grade.
/// A column of a platform has one maximum: that of most of its grades. A grade of another maximum
/// is left empty. Throws UsageError for a platform's format where a grade is outdated, unless
/// `as_graded`.
GradebookTable gradebook_table(std::string_view format, const Gradebook& book,
                               const CourseFolder& folder, const TableOptions& options);

}  // namespace opgrade::course
