/// The table of formats that a grade is written in. `grade`, `show`, its help and the tests read
/// it.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "grader/report/fields/view.hpp"
#include "grader/report/formats/gradescope.hpp"
#include "grader/report/formats/text.hpp"

namespace opgrade::report {

struct ExportOptions {
  Audience audience = Audience::student;
  TextStyle style = {};        ///< of the text report alone
  std::string log_guard = {};  ///< fresh random letters and digits, for a GitHub log
  GradescopeContext gradescope = {};
  std::string source_folder = {};  ///< the submission's folder in its repository, for annotations
  SourceOf source = {};            ///< lines around a mistake, in the HTML report
  const Grade* compared_with = nullptr;  ///< an earlier version, in the HTML report of a profile
};

struct Exporter {
  std::string_view name;  ///< of the format, for `opgrade show --format`
  std::string_view file;  ///< the usual name of such a file
  bool stored;            ///< `opgrade grade` writes that file into each result folder
  Audience audience;      ///< of the stored file
  std::string_view sentence;
  std::string (*write)(const Grade&, const ExportOptions&);
};

/// No two have one name, and no two stored ones have one file.
std::span<const Exporter> exporters();

/// Throws Error for a name that the table lacks.
const Exporter& exporter(std::string_view name);

/// "text (the verdict first, ...), json (...), ...", for a help text.
std::string list_of_exporters();

}  // namespace opgrade::report
