/// Writers of a Paper, for a student to paste into a report.
#pragma once

#include <string>
#include <string_view>

#include "grader/report/paper/paper.hpp"

namespace opgrade::report {

/// Headings, paragraphs and the pipe tables that GitHub and pandoc read.
std::string paper_markdown(const Paper& paper);

/// A part of a document for pdflatex, xelatex or lualatex: no package is needed.
std::string paper_latex(const Paper& paper);

/// RFC 4180 with all tables, the table's name in the first column and the same number of cells in
/// each record. Every table begins with a record of its column titles; times are numbers.
std::string paper_csv(const Paper& paper);

/// `text` in a paragraph or a table's cell of Markdown: a backslash stands before all that could
/// mark up, and the text stays readable as it is.
std::string plain_markdown(std::string_view text);

/// `text` in a paragraph or a table's cell of LaTeX. A character that pdflatex cannot set without
/// packages is shown as "U+4E2D".
std::string latex_text(std::string_view text);

}  // namespace opgrade::report
