#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "grader/report/paper/paper_formats.hpp"

namespace opgrade::report {
namespace {

/// The LaTeX text for a character. Braces keep two characters from becoming a ligature, as in << or
/// --, and protect a quotation mark from babel.
constexpr std::array<std::pair<char32_t, std::string_view>, 21> kWritten{{
    {U'\\', "\\textbackslash{}"},
    {U'{', "\\{"},
    {U'}', "\\}"},
    {U'$', "\\$"},
    {U'&', "\\&"},
    {U'#', "\\#"},
    {U'%', "\\%"},
    {U'_', "\\_"},
    {U'^', "\\textasciicircum{}"},
    {U'~', "\\textasciitilde{}"},
    {U'<', "\\textless{}"},
    {U'>', "\\textgreater{}"},
    {U'|', "\\textbar{}"},
    {U'"', "{\\char34}"},
    {U'\'', "{'}"},
    {U'`', "{`}"},
    // \\ and a list's \item take a bracket after them as their argument.
    {U'[', "{[}"},
    {U']', "{]}"},
    {U'µ', "\\ensuremath{\\mu}"},
    {U'±', "\\ensuremath{\\pm}"},
    {U'≠', "\\ensuremath{\\neq}"},
}};

/// Every engine's standard fonts have these letters: À to ÿ without Ð, ×, Þ, ð, ÷ and þ.
bool is_latin_letter(char32_t c) {
  return c >= 0xC0 && c <= 0xFF && c != 0xD0 && c != 0xD7 && c != 0xDE && c != 0xF0 && c != 0xF7 &&
         c != 0xFE;
}

/// The first character of UTF-8 `text` and its bytes.
std::pair<char32_t, std::size_t> first_character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  char32_t code = length == 1 ? lead : lead & (0x7FU >> length);
  for (std::size_t i = 1; i < length && i < text.size(); ++i)
    code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {code, std::min(length, text.size())};
}

/// TeX breaks a long cell only if its column has a width.
std::string column_type(const PaperTable& table, std::size_t column) {
  constexpr std::size_t kLong = 24;
  if (table.columns[column].right) return "r";
  const bool is_long = std::ranges::any_of(
      table.rows, [&](const PaperRow& row) { return row.cells[column].text.size() > kLong; });
  if (!is_long) return "l";
  return fmt::format("p{{{}\\linewidth}}", table.columns.size() > 3 ? 0.25 : 0.65);
}

}  // namespace

std::string latex_text(std::string_view text) {
  constexpr int kLongWord = 16;  // longer words get places where a line may end
  std::string out;
  int in_word = 0;
  char32_t before = 0;
  while (!text.empty()) {
    const auto [code, length] = first_character(text);
    const std::string_view bytes = text.substr(0, length);
    const bool blank = code <= 0x20;
    in_word = blank ? 0 : in_word + 1;
    if (in_word > kLongWord) {
      out += "\\allowbreak{}";
      in_word = 1;
    }
    const auto written = std::ranges::find(kWritten, code, [](const auto& w) { return w.first; });
    if (written != kWritten.end())
      out += written->second;
    else if ((code == U'-' || code == U',') && code == before)
      out += fmt::format("{{{}}}", bytes);  // else two of them become a dash or a quotation mark
    else if (blank)
      out += ' ';
    else if (code < 0x7F || is_latin_letter(code))
      out += bytes;
    else
      out += fmt::format("U+{:04X}", static_cast<std::uint32_t>(code));
    before = code;
    text.remove_prefix(length);
  }
  return out;
}

std::string paper_latex(const Paper& paper) {
  std::string out = fmt::format("\\section*{{{}}}\n", latex_text(paper.title));
  for (const PaperTable& table : paper.tables) {
    std::string types;
    std::vector<std::string> titles;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      types += column_type(table, i);
      titles.push_back(latex_text(table.columns[i].title));
    }
    out += fmt::format(
        "\n\\begin{{table}}[htbp]\n\\centering\\footnotesize\n\\setlength{{\\tabcolsep}}{{3pt}}"
        "\n\\caption{{{}}}\n\\begin{{tabular}}{{{}}}\n"
        "\\hline\n{} \\tabularnewline\n\\hline\n",
        latex_text(table.title), types, fmt::join(titles, " & "));
    for (const PaperRow& row : table.rows) {
      std::vector<std::string> cells;
      for (const PaperCell& cell : row.cells) cells.push_back(latex_text(cell.text));
      out += fmt::format("{} \\tabularnewline\n{}", fmt::join(cells, " & "),
                         row.sum ? "\\hline\n" : "");
    }
    const bool ruled = !table.rows.empty() && table.rows.back().sum;
    out += fmt::format("{}\\end{{tabular}}\n\\end{{table}}\n", ruled ? "" : "\\hline\n");
    if (!table.note.empty()) out += fmt::format("\n{}\n", latex_text(table.note));
  }
  if (paper.remarks.empty()) return out;
  out += "\n\\begin{itemize}\n";
  for (const std::string& remark : paper.remarks)
    out += fmt::format("\\item {}\n", latex_text(remark));
  return out + "\\end{itemize}\n";
}

}  // namespace opgrade::report
