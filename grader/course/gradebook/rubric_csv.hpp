/// Writes tables of the marks of documents, for course systems.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/course/gradebook/gradebook.hpp"

namespace opgrade::course {

/// A student's part in a document that a grader has finished.
struct MarkedDocument {
  const Student* student = nullptr;
  const Assignment* assignment = nullptr;
  ReportEntry report;
};

struct MarkedDocuments {
  std::vector<MarkedDocument> all;    ///< by assignment; each member of a team has an entry
  std::vector<std::string> warnings;  ///< documents that wait for a grader
};

/// `only`: the documents of this assignment; empty: those of all assignments that want one.
MarkedDocuments marked_documents(const Gradebook& book, const CourseFolder& folder,
                                 const std::string& only);

struct RubricFormat {
  std::string_view name;
  GradebookTable (*write)(const MarkedDocuments& documents);
};

/// The formats of gradebook_table() that are about marks. "gradescope-rubric" throws UsageError for
/// documents of several assignments, whose rubrics have other columns.
std::span<const RubricFormat> rubric_formats();
bool is_about_marks(std::string_view format);

/// "Lovelace, Ada" and "Ada Lovelace" are {"Ada", "Lovelace"}.
std::pair<std::string, std::string> first_and_last(const std::string& name);

}  // namespace opgrade::course
