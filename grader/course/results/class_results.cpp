#include "grader/course/results/class_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "grader/base/core/error.hpp"
#include "grader/course/results/result_folder.hpp"
#include "grader/report/formats/csv.hpp"

namespace opgrade {

namespace fs = std::filesystem;

ClassResults read_results(const fs::path& results) {
  std::error_code error;
  ClassResults found;
  for (const auto& entry : fs::directory_iterator(results, error)) {
    if (!entry.is_directory() || entry.path().extension() == ".partial") continue;
    if (auto grade = read_result(entry.path())) {
      const std::string name = entry.path().filename().string();
      grade->submission = name;  // staff may have renamed the folder
      found.grades.emplace(name, *std::move(grade));
    } else {
      found.unreadable.push_back(entry.path());
    }
  }
  if (error)
    throw Error(fmt::format("cannot read {}: {}", results.string(), error.message()),
                "check the permissions of the results folder");
  std::ranges::sort(found.unreadable);
  return found;
}

std::string class_table(const ClassResults& results) {
  report::CsvColumns columns;
  for (const auto& [name, grade] : results.grades) columns.add(grade);
  std::string table = report::csv_header(columns);
  for (const auto& [name, grade] : results.grades) table += report::csv_row(grade, columns);
  return table;
}

}  // namespace opgrade
