/// Reads comma-separated tables: RFC 4180, with the line of each row.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace opgrade::course {

struct CsvRow {
  int line = 0;                    ///< the row's first line, from 1
  std::vector<std::string> cells;  ///< without blanks around them, unless quoted
};

struct CsvProblem {
  int line = 0;
  std::string text;
};

/// Rows without any text are left out. A byte order mark and CRLF, which spreadsheets write, are
/// accepted.
tl::expected<std::vector<CsvRow>, CsvProblem> read_csv(std::string_view text);

}  // namespace opgrade::course
