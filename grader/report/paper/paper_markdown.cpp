#include <fmt/format.h>
#include <fmt/ranges.h>

#include "grader/report/paper/paper_formats.hpp"

namespace opgrade::report {

std::string plain_markdown(std::string_view text) {
  // In CommonMark a backslash before any ASCII punctuation makes it a plain character; GFM reads
  // "\|" in a cell as "|". "$" would begin a formula, "@" a citation of pandoc.
  constexpr std::string_view kSpecial = "\\`*_[]<>|&~$^#@{}";
  std::string out;
  bool number = true;  // only digits so far, so that "." or ")" would start a list item
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool link = c == ':' && i + 1 < text.size() && text[i + 1] == '/';
    const bool dash = (c == '-' || c == '.') && i > 0 && text[i - 1] == c;  // or an ellipsis
    const bool blank_next = i + 1 == text.size() || text[i + 1] == ' ';
    const bool item =
        i == 0 ? c == '-' || c == '+' || c == '=' : number && blank_next && (c == '.' || c == ')');
    number = number && c >= '0' && c <= '9';
    if (kSpecial.find(c) != kSpecial.npos || link || dash || item) out += '\\';
    out += c == '\n' || c == '\r' || c == '\t' ? ' ' : c;
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
