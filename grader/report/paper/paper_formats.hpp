/// Writers of a Paper, for a student to paste into a report.
#pragma once

#include <string>
#include <string_view>

#include "grader/report/paper/paper.hpp"

namespace opgrade::report {

/// Headings, paragraphs and pipe tables, which GitHub and pandoc read.
std::string paper_markdown(const Paper& paper);

/// A part of a document for pdflatex, xelatex or lualatex; it needs no package.
std::string paper_latex(const Paper& paper);

/// RFC 4180 with all tables. The first column has the table's name, and all records have the same
/// number of cells. Every table begins with a record of its column titles; times are numbers.
std::string paper_csv(const Paper& paper);

/// `text` for a paragraph or a table's cell of Markdown, with a backslash before each character
/// that could be markup. The text stays readable without rendering.
std::string plain_markdown(std::string_view text);

/// `text` for a paragraph or a table's cell of LaTeX. A character that pdflatex cannot set without
/// packages is shown as "U+4E2D".
std::string latex_text(std::string_view text);

}  // namespace opgrade::report
