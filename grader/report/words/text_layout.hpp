/// Layout of plain text for a terminal: columns, wrapping, colour.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade::report {

/// Number of terminal columns that UTF-8 text needs: one per code point, two for East Asian wide
/// characters and emoji, none for combining marks and zero-width characters.
int display_width(std::string_view text);

/// `text` with every character outside ASCII replaced: those of Glyphs by their stand-ins, quotes
/// by straight quotes, others by '?'.
std::string to_ascii(std::string_view text);

/// `text` in lines of at most `width` columns, broken at blanks; a word that is longer than a line
/// is broken inside. The first line begins with `first`, the others with `indent`.
std::string wrap(std::string_view text, int width, std::string_view first, std::string_view indent);

/// Lines of code, indented by four columns.
std::string code_block(std::string_view code);

enum class Colour { none, red, green, yellow, dim, bold };

/// `text` between the escape sequences of ECMA-48's SGR, or unchanged if `on` is false.
std::string paint(std::string_view text, Colour colour, bool on);

/// Rows of cells under a header. Every column is as wide as its widest cell.
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;     ///< aligned to the right, as numbers are
    bool optional = false;  ///< left out first if the table is too wide
  };
  struct Cell {
    std::string text;
    Colour colour = Colour::none;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  /// Columns without any text are left out. A table that is wider than `width` wraps the texts of
  /// its last column. If that is not enough, the optional columns are left out, and if that is not
  /// enough, every row becomes a short list of "title: cell". No text is cut.
  std::string str(int width, std::string_view indent, bool colour) const;

  /// The titles of the columns that str() shows; nullopt if str() writes lists.
  std::optional<std::vector<std::string>> titles_shown(int width, std::string_view indent) const;

 private:
  /// The widths of the columns as str() shows them, 0 for those that it leaves out; nullopt if it
  /// writes lists.
  std::optional<std::vector<int>> fitted(int width, std::string_view indent) const;
  std::vector<int> widths() const;  ///< 0 for a column without texts
  std::string as_table(const std::vector<int>& widths, std::string_view indent, bool colour) const;
  std::string as_list(int width, std::string_view indent, bool colour) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace opgrade::report
