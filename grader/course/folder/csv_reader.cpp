#include "grader/course/folder/csv_reader.hpp"

#include <algorithm>
#include <utility>

#include "grader/base/core/text_parts.hpp"

namespace opgrade::course {
namespace {

constexpr const char* kBlanks = " \t";

/// Removes the quoted cell at the start of `text`, and the blanks behind it, and returns the cell.
tl::expected<std::string, std::string> take_quoted(std::string_view& text) {
  std::string cell;
  std::size_t at = 1;
  for (; at < text.size() && (text[at] != '"' || text.substr(at, 2) == "\"\""); ++at) {
    cell += text[at];
    if (text[at] == '"') ++at;
  }
  if (at >= text.size()) return tl::unexpected<std::string>("a quoted cell has no closing quote");
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks, at + 1), text.size()));
  if (!text.empty() && std::string_view(",\r\n").find(text.front()) == text.npos)
    return tl::unexpected<std::string>(
        "text follows a closing quote; a quote in a cell is written \"\"");
  return cell;
}

}  // namespace

tl::expected<std::vector<CsvRow>, CsvProblem> read_csv(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<CsvRow> rows;
  for (int line = 1; !text.empty(); ++line) {
    CsvRow row{line, {}};
    for (bool more = true; more;) {
      text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
      if (text.starts_with('"')) {
        const std::string_view before = text;
        auto cell = take_quoted(text);
        if (!cell) return tl::unexpected(CsvProblem{line, cell.error()});
        line += static_cast<int>(
            std::ranges::count(before.substr(0, before.size() - text.size()), '\n'));
        row.cells.push_back(*std::move(cell));
      } else {
        const std::size_t end = std::min(text.find_first_of(",\r\n"), text.size());
        row.cells.emplace_back(trimmed(text.substr(0, end)));
        text.remove_prefix(end);
      }
      more = text.starts_with(',');
      if (more) text.remove_prefix(1);
    }
    if (text.starts_with('\r')) text.remove_prefix(1);
    if (text.starts_with('\n')) text.remove_prefix(1);
    if (std::ranges::any_of(row.cells, [](const auto& cell) { return !cell.empty(); }))
      rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace opgrade::course
