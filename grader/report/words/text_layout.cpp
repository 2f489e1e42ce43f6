#include "grader/report/words/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "grader/report/words/units.hpp"

namespace opgrade::report {
namespace {

struct CodePoint {
  char32_t value;
  std::size_t bytes;
};

/// The code point at the start of `s`. Views hold valid UTF-8; any other byte counts as one code
/// point.
CodePoint decode(std::string_view s) {
  const auto first = static_cast<unsigned char>(s[0]);
  const std::size_t bytes = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (bytes == 1 || bytes > s.size()) return {first, 1};
  char32_t value = first & (0xFFu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    value = value << 6 | (static_cast<unsigned char>(s[i]) & 0x3Fu);
  }
  return {value, bytes};
}

int width_of(char32_t c) {
  const bool zero = (c >= 0x300 && c <= 0x36F) || (c >= 0x200B && c <= 0x200F) ||
                    (c >= 0x20D0 && c <= 0x20FF) || (c >= 0xFE00 && c <= 0xFE0F) || c == 0xFEFF;
  if (zero) return 0;
  // The blocks of Unicode's EastAsianWidth.txt that are W or F completely.
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                    (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                    (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                    (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) ||
                    (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

/// Number of bytes of `text` that fit in `columns`, at least one character.
std::size_t fitting(std::string_view text, int columns) {
  std::size_t at = 0;
  for (int used = 0; at < text.size();) {
    const auto c = decode(text.substr(at));
    used += width_of(c.value);
    if (used > columns && at > 0) break;
    at += c.bytes;
  }
  return at;
}

constexpr int kGap = 2;  ///< columns between two columns of a table

std::string spaces(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

}  // namespace

int display_width(std::string_view text) {
  int width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto c = decode(text.substr(at));
    width += width_of(c.value);
    at += c.bytes;
  }
  return width;
}

std::string to_ascii(std::string_view text) {
  const Glyphs &from = unicode_glyphs(), &to = ascii_glyphs();
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto bytes = decode(text.substr(at)).bytes;
    const auto c = text.substr(at, bytes);
    at += bytes;
    out += bytes == 1 && static_cast<unsigned char>(c[0]) < 0x80 ? std::string(c)
           : c == from.micro                                     ? to.micro
           : c == from.plus_minus                                ? to.plus_minus
           : c == from.dot                                       ? to.dot
           : c == from.dash                                      ? to.dash
           : c == from.unequal                                   ? to.unequal
           : c == "\u2018" || c == "\u2019"                      ? "'"  // a compiler's quotes
           : c == "\u201C" || c == "\u201D"                      ? "\""
                                                                 : "?";
  }
  return out;
}

std::string code_block(std::string_view code) {
  std::string text = "    ";
  for (const char c : code) text += c == '\n' ? std::string("\n    ") : std::string(1, c);
  return text + '\n';
}

std::string wrap(std::string_view text, int width, std::string_view first,
                 std::string_view indent) {
  constexpr int kNarrowest = 16;  // below this, a line runs over rather than hold a few letters
  std::string out;
  for (bool start = true; start || !text.empty(); start = false) {
    const auto margin = start ? first : indent;
    out += margin;
    auto end = fitting(text, std::max(width - display_width(margin), kNarrowest));
    if (end < text.size() && text[end] != ' ') {
      const auto blank = text.substr(0, end).rfind(' ');
      if (blank != text.npos && blank > 0) end = blank;
    }
    out += text.substr(0, end);
    out += '\n';
    text.remove_prefix(end);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  }
  return out;
}

std::string paint(std::string_view text, Colour colour, bool on) {
  if (!on || colour == Colour::none || text.empty()) return std::string(text);
  const char* code = colour == Colour::red      ? "31"
                     : colour == Colour::green  ? "32"
                     : colour == Colour::yellow ? "33"
                     : colour == Colour::dim    ? "2"
                                                : "1";
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::vector<int> Table::widths() const {
  std::vector<int> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i].text));
    }
  }
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] > 0) widths[i] = std::max(widths[i], display_width(columns_[i].title));
  }
  return widths;
}

std::optional<std::vector<int>> Table::fitted(int width, std::string_view indent) const {
  const auto total_of = [&](const std::vector<int>& widths) {
    int total = display_width(indent) - kGap;
    for (const int w : widths) total += w > 0 ? w + kGap : 0;
    return total;
  };
  auto wide = widths();
  if (total_of(wide) <= width) return wide;

  constexpr int kNarrowest = 24;  // if the last column had to be narrower, a list is easier to read
  auto wrapped = wide;
  wrapped.back() -= total_of(wide) - width;
  if (!columns_.back().right && wrapped.back() >= kNarrowest) return wrapped;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    if (columns_[i].optional) wide[i] = 0;
  }
  if (total_of(wide) <= width) return wide;
  return std::nullopt;
}

std::string Table::str(int width, std::string_view indent, bool colour) const {
  const auto widths = fitted(width, indent);
  return widths ? as_table(*widths, indent, colour) : as_list(width, indent, colour);
}

std::optional<std::vector<std::string>> Table::titles_shown(int width,
                                                            std::string_view indent) const {
  const auto widths = fitted(width, indent);
  if (!widths) return std::nullopt;
  std::vector<std::string> titles;
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if ((*widths)[i] > 0) titles.push_back(columns_[i].title);
  return titles;
}

std::string Table::as_table(const std::vector<int>& widths, std::string_view indent,
                            bool colour) const {
  const auto add_line = [&](std::string& out, const std::vector<Cell>& cells) {
    out += indent;
    int owed = 0;  // blanks are written only before a text, so that no line ends in blanks
    int column = 0;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (widths[i] == 0) continue;
      std::string text = cells[i].text;
      const int pad = std::max(widths[i] - display_width(text), 0);
      if (columns_[i].right) owed += pad;
      if (display_width(text) > widths[i]) {
        const std::string start = "\n" + std::string(indent) + spaces(column);
        std::string lines = wrap(text, widths[i], "", "");
        lines.pop_back();
        for (auto at = lines.find('\n'); at != lines.npos;
             at = lines.find('\n', at + start.size())) {
          lines.replace(at, 1, start);
        }
        text = lines;
      }
      if (!text.empty()) {
        out += spaces(owed) + paint(text, cells[i].colour, colour);
        owed = 0;
      }
      owed += (columns_[i].right ? 0 : pad) + kGap;
      column += widths[i] + kGap;
    }
    out += '\n';
  };
  std::string out;
  std::vector<Cell> titles;
  for (const auto& column : columns_) titles.push_back({column.title, Colour::dim});
  add_line(out, titles);
  for (const auto& row : rows_) add_line(out, row);
  return out;
}

std::string Table::as_list(int width, std::string_view indent, bool colour) const {
  const std::string inner = std::string(indent) + "  ";
  std::string out;
  for (const auto& row : rows_) {
    bool first = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i].text.empty()) continue;
      const std::string text =
          first ? row[i].text : fmt::format("{}: {}", columns_[i].title, row[i].text);
      const std::string_view margin = first ? indent : std::string_view(inner);
      std::string lines = wrap(text, width, margin, inner);
      lines.pop_back();
      out += margin;
      out += paint(lines.substr(margin.size()), row[i].colour, colour) + "\n";
      first = false;
    }
  }
  return out;
}

}  // namespace opgrade::report
