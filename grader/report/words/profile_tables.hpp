/// A profile as titled tables of ready texts, for every format that prints tables.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grader/base/core/profile.hpp"
#include "grader/report/words/text_layout.hpp"
#include "grader/report/words/units.hpp"

namespace opgrade::report {

struct ProfileTable {
  struct Row {
    std::vector<std::string> cells;
    bool leading = false;  ///< among the fewest rows that together exceed 90 %
  };
  std::string title;
  /// What a column means.
  struct Legend {
    std::string column, text;
  };
  std::string note;  ///< how to read the table, or empty
  std::vector<Legend> legend;
  std::vector<Table::Column> columns;
  std::vector<Row> rows;

  /// The note, and the meanings of the columns for which `is_shown` is true.
  std::string note_with(const std::function<bool(const std::string&)>& is_shown) const;
};

/// Tables without a row are left out.
std::vector<ProfileTable> profile_tables(const ProfileReport& profile,
                                         const Glyphs& glyphs = unicode_glyphs());

/// "Counted for conv1 with B=3 M=4 ...": the computation to which the counts belong; empty if there
/// are no counts.
std::string counted_sizes(const ProfileReport& profile);

/// Approximate number of passes through the load and store units.
double passes_of(const ProfileAccessRow& access);

/// A kernel's name without "void" and its parameters: "conv<4, 7>". The JSON report has the full
/// name.
std::string short_kernel_name(const std::string& name);

/// One sentence each: "recorded by CUPTI on NVIDIA H200", what the tables cannot show, what went
/// wrong.
std::vector<std::string> profile_remarks(const ProfileReport& profile);

/// Rounds as a person does: whole numbers below 10,000 are exact, others have three digits.
std::string rounded_count(double count);

/// "12.3 TFLOP/s", "4.05 TB/s": three digits and the decimal prefix that fits.
std::string show_rate(double per_second, const char* unit);

}  // namespace opgrade::report
