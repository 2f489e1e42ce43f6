/// One row per submission, for the table over a class that a spreadsheet opens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// The cases that have columns of their own, by stage and id, in order.
struct CsvColumns {
  struct Case {
    std::string stage, id;
    bool kernels = false;  ///< a case has a kernel time, so that it has a column
    friend bool operator==(const Case& a, const Case& b) {
      return a.stage == b.stage && a.id == b.id;
    }
  };
  std::vector<Case> cases;

  /// Adds the cases of `grade` that are not there yet. Case by case, so that a class's reports need
  /// not be in memory at once.
  void add(const Grade& grade);
};

/// RFC 4180: comma, CRLF, quotes doubled. For staff: hidden cases are in it.
/// Columns: submission, outcome, passed, points, max_points, open_points, pass_mark, reason,
/// elapsed_s, config, config_sha256, submission_path, submission_sha256, machine, opgrade_version,
/// started. Then per case `<id> outcome`, `<id> points`, `<id> accuracy`, `<id> op_time_ms` and,
/// where some have it, `<id> kernel_time_ms`.
std::string csv_header(const CsvColumns& columns);

/// A case that `grade` lacks leaves its cells empty. `passed` is yes, no, or open (points that need
/// a GPU decide it). For a grader fault `passed` and `points` are empty: a gradebook must not take
/// them for a zero.
std::string csv_row(const Grade& grade, const CsvColumns& columns);

std::string csv_line(const std::vector<std::string>& cells);

/// A cell as it is, in quotes.
std::string csv_quoted(std::string_view cell);

/// One cell of text. A text that a spreadsheet would take for a formula gets an apostrophe in
/// front, as OWASP's "CSV Injection" page advises. Such a text begins, after blanks, with one of =
/// + - @ or their full-width forms, or a tab or CR.
std::string csv_cell(std::string_view text);

}  // namespace opgrade::report
