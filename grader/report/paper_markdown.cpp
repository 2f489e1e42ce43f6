#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grader/report/paper_formats.hpp"

namespace opgrade::report {

std::string plain_markdown(std::string_view text) {
  // By CommonMark a backslash before any punctuation of ASCII makes it a plain character; GFM reads
  // "\|" in a cell as "|". A colon would make a link of "https://", a second "-" or "." a dash or
  // an ellipsis in pandoc, "@" a citation, "$" a formula.
  constexpr std::string_view kSpecial = "\\`*_[]<>|&~$^#:@'\"{}=";
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool repeated = (c == '-' || c == '.') && i > 0 && text[i - 1] == c;
    const bool breaks = c == '\n' || c == '\r' || c == '\t';
    if (kSpecial.find(c) != kSpecial.npos || repeated) out += '\\';
    out += breaks ? ' ' : c;
  }
  return out;
}

std::string paper_markdown(const Paper& paper) {
  std::string out = fmt::format("# {}\n", plain_markdown(paper.title));
  for (const PaperTable& table : paper.tables) {
    out += fmt::format("\n## {}\n\n", plain_markdown(table.title));
    std::vector<std::string> titles, rulers;
    for (const PaperColumn& column : table.columns) {
      titles.push_back(plain_markdown(column.title));
      rulers.emplace_back(column.right ? "--:" : ":--");
    }
    out += fmt::format("| {} |\n| {} |\n", fmt::join(titles, " | "), fmt::join(rulers, " | "));
    for (const PaperRow& row : table.rows) {
      std::vector<std::string> cells;
      for (const PaperCell& cell : row.cells) cells.push_back(plain_markdown(cell.text));
      out += fmt::format("| {} |\n", fmt::join(cells, " | "));
    }
    if (!table.note.empty()) out += fmt::format("\n{}\n", plain_markdown(table.note));
  }
  if (!paper.remarks.empty()) out += "\n## Remarks\n\n";
  for (const std::string& remark : paper.remarks)
    out += fmt::format("- {}\n", plain_markdown(remark));
  return out;
}

}  // namespace opgrade::report
