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
    bool leading = false;  ///< in the shortest list that together exceeds 90 %
  };
  std::string title;
  /// What a column means.
  struct Legend {
    std::string column, text;
  };
  std::string note;  ///< how to read it, or empty
  std::vector<Legend> legend;
  std::vector<Table::Column> columns;
  std::vector<Row> rows;

  /// The note and what the columns that `is_shown` takes mean.
  std::string note_with(const std::function<bool(const std::string&)>& is_shown) const;
};

/// Tables without a row are left out.
std::vector<ProfileTable> profile_tables(const ProfileReport& profile,
                                         const Glyphs& glyphs = unicode_glyphs());

/// "Counted for conv1 with B=3 M=4 ...": what the counts are about; empty without any.
std::string counted_sizes(const ProfileReport& profile);

/// Through the load and store units, about.
double passes_of(const ProfileAccessRow& access);

/// A kernel's name without its parameters and "void": "conv<4, 7>". The whole one is in the JSON.
std::string short_kernel_name(const std::string& name);

/// "recorded by CUPTI on NVIDIA H200", what the tables cannot say, what went wrong: a sentence
/// each.
std::vector<std::string> profile_remarks(const ProfileReport& profile);

/// As a person rounds: whole numbers below 10,000 exactly, others to three digits.
std::string rounded_count(double count);

/// "12.3 TFLOP/s", "4.05 TB/s": three digits and the decimal prefix that fits.
std::string show_rate(double per_second, const char* unit);

}  // namespace opgrade::report
