/// One row per submission, for a spreadsheet with the whole class.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// The cases that have columns, by stage and id, in order.
struct CsvColumns {
  struct Case {
    std::string stage, id;
    bool kernels = false;  ///< true if a run of the case has a kernel time, which then has a column
    friend bool operator==(const Case& a, const Case& b) {
      return a.stage == b.stage && a.id == b.id;
    }
  };
  std::vector<Case> cases;

  /// Adds the cases of `grade` that have no columns yet. Takes one grade at a time, so that the
  /// reports of a class need not be in memory together.
  void add(const Grade& grade);
};

/// RFC 4180: comma, CRLF, quotes doubled. For staff, because it contains hidden cases. Columns:
/// submission, outcome, passed, points, max_points, open_points, pass_mark, reason, elapsed_s,
/// config, config_sha256, submission_path, submission_sha256, machine, opgrade_version, started.
/// Then per case `<id> outcome`, `<id> points`, `<id> accuracy`, `<id> op_time_ms` and, if a
/// submission has a kernel time, `<id> kernel_time_ms`.
std::string csv_header(const CsvColumns& columns);

/// A case that `grade` lacks has empty cells. `passed` is yes, no, or open (points that need a GPU
/// decide it). After a grader fault `passed` and `points` are empty, so that a gradebook does not
/// record a zero.
std::string csv_row(const Grade& grade, const CsvColumns& columns);

std::string csv_line(const std::vector<std::string>& cells);

/// The text of a cell in quotes, otherwise unchanged.
std::string csv_quoted(std::string_view cell);

/// One cell of text. A text that a spreadsheet would take for a formula gets an apostrophe in
/// front, as OWASP's "CSV Injection" page advises. Such a text begins, after blanks, with one of =
/// + - @ or their full-width forms, or with a tab or CR.
std::string csv_cell(std::string_view text);

}  // namespace opgrade::report
