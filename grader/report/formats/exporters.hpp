/// The table of the formats in which a grade is written. `grade`, `show`, its help and the tests
/// read it.
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
  TextStyle style = {};        ///< for the text report only
  std::string log_guard = {};  ///< fresh random letters and digits, for a GitHub log
  GradescopeContext gradescope = {};
  std::string source_folder = {};  ///< the submission's folder in its repository, for annotations
  SourceOf source = {};            ///< gives the lines around a mistake in the HTML report
  const Grade* compared_with = nullptr;  ///< an earlier version, for the HTML report of a profile
};

struct Exporter {
  std::string_view name;  ///< of the format, for `opgrade show --format`
  std::string_view file;  ///< the usual file name for the format
  bool stored;            ///< `opgrade grade` writes this file into each result folder
  Audience audience;      ///< audience of the stored file
  std::string_view sentence;
  std::string (*write)(const Grade&, const ExportOptions&);
};

/// All formats. Names are unique, and so are the files of stored formats.
std::span<const Exporter> exporters();

/// Throws Error if the table has no format of this name.
const Exporter& exporter(std::string_view name);

/// The formats for a help text: "text (the verdict first, ...), json (...), ...".
std::string list_of_exporters();

}  // namespace opgrade::report
