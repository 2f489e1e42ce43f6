/// The data for a student's own report on an assignment, as tables that every format writes.
///
/// The course's milestones ask for Op and Layer Times and accuracy for each batch; real, user and
/// sys time of the program; the kernels and the API calls that together take more than 90 % of the
/// time; the CPU against the GPU; the machine and the date.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade::report {

/// A cell shows `text`; a table for programs has `number` instead, in the column's unit.
struct PaperCell {
  std::string text;
  std::optional<double> number;
};

struct PaperColumn {
  std::string title;
  std::string unit;    ///< of the numbers; empty for texts, and for counts
  bool right = false;  ///< aligned to the right, as numbers are
};

struct PaperRow {
  std::vector<PaperCell> cells;
  bool sum = false;  ///< the row is the sum of rows above it
};

struct PaperTable {
  std::string name;   ///< name for programs: "times", "kernels gpu/high/10000"
  std::string title;  ///< title for readers
  std::string note;   ///< how to read the table; may be empty
  std::vector<PaperColumn> columns;
  std::vector<PaperRow> rows;
};

struct Paper {
  std::string title;
  std::vector<PaperTable> tables;    ///< each has at least one row
  std::vector<std::string> remarks;  ///< whole sentences: what failed, and what the tables lack
};

/// `view` comes from view_for(). Random and fixed shapes are left out, because they only show that
/// a submission is right and have no time.
Paper paper_of(const Grade& view);

}  // namespace opgrade::report
