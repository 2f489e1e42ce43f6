/// Reads all results of a folder, for `grades.csv` and `opgrade rank`.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"

namespace opgrade {

struct ClassResults {
  std::map<std::string, Grade> grades;  ///< by name, which is the name of the result's folder
  std::vector<std::filesystem::path> unreadable;  ///< folders without a readable report.json
};

/// Results that are being written are left out. Throws Error if the folder cannot be read.
ClassResults read_results(const std::filesystem::path& results);

/// A CSV table with one row for each result, sorted by name. report/formats/csv.hpp has the
/// columns.
std::string class_table(const ClassResults& results);

}  // namespace opgrade
