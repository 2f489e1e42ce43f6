/// Layout of plain text for a terminal: columns, wrapping, colour.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade::report {

/// Columns a terminal needs for UTF-8 text. One per code point, two for East Asian wide ones and
/// emoji, none for combining marks and zero-width characters.
int display_width(std::string_view text);

/// `text` with every character outside ASCII replaced: those of Glyphs by their stand-in, quotes by
/// straight ones, others by '?'.
std::string to_ascii(std::string_view text);

/// `text` in lines of at most `width` columns, broken at blanks; a longer word is broken inside.
/// The first line begins with `first`, the others with `indent`.
std::string wrap(std::string_view text, int width, std::string_view first, std::string_view indent);

/// Lines of code, four columns from the left.
std::string code_block(std::string_view code);

enum class Colour { none, red, green, yellow, dim, bold };

/// `text` between the escape sequences of ECMA-48's SGR, or as it is when off.
std::string paint(std::string_view text, Colour colour, bool on);

/// Rows of cells under a header, every column as wide as its widest cell.
class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;     ///< aligned to the right, as numbers are
    bool optional = false;  ///< left out first where the table is too wide
  };
  struct Cell {
    std::string text;
    Colour colour = Colour::none;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<Cell> row) { rows_.push_back(std::move(row)); }

  /// Columns in which no row has a text are left out. A table wider than `width` wraps the texts of
  /// its last column, else loses its optional columns. Else every row becomes a short list of
  /// "title: cell": no text is cut.
  std::string str(int width, std::string_view indent, bool colour) const;

  /// The titles of the columns that str() shows; nothing if it writes lists.
  std::optional<std::vector<std::string>> titles_shown(int width, std::string_view indent) const;

 private:
  /// Of the columns as str() shows them, 0 for those that it leaves out; nothing if it writes
  /// lists.
  std::optional<std::vector<int>> fitted(int width, std::string_view indent) const;
  std::vector<int> widths() const;  ///< 0 for a column without texts
  std::string as_table(const std::vector<int>& widths, std::string_view indent, bool colour) const;
  std::string as_list(int width, std::string_view indent, bool colour) const;

  std::vector<Column> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace opgrade::report
