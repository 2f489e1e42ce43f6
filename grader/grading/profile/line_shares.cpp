#include "grader/grading/profile/line_shares.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/whole_number.hpp"

namespace opgrade {
namespace {

constexpr std::string_view kSamples = "Warp Stall Sampling (All Samples)";

/// The next line of comma-separated values; quotes in a quoted cell are doubled.
std::vector<std::string> take_row(std::string_view& text) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  std::size_t i = 0;
  for (; i < text.size() && (quoted || text[i] != '\n'); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"')
      cells.back() += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  text.remove_prefix(std::min(i + 1, text.size()));
  return cells;
}

/// Reads "1,234" and "12.5"; nullopt for what is no count.
std::optional<double> count_in(std::string text) {
  std::erase(text, ',');
  double value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last || !std::isfinite(value) || value < 0)
    return std::nullopt;
  return value;
}

std::string name_below(std::string_view path, std::string_view folder) {
  if (path.starts_with(folder) && path.substr(folder.size()).starts_with('/'))
    path.remove_prefix(folder.size() + 1);
  else
    path.remove_prefix(path.rfind('/') == path.npos ? 0 : path.rfind('/') + 1);
  return printable_line(std::string(path), 100);
}

}  // namespace

std::vector<LineShare> read_line_shares(std::string_view page, std::string_view folder) {
  std::map<std::pair<std::string, int>, double> samples;
  std::string file;
  constexpr std::size_t kNone = std::string_view::npos;
  std::size_t column = kNone;  // of the samples, in the table that is read
  double all = 0;
  while (!page.empty()) {
    const auto cells = take_row(page);
    if (cells.front() == "File Path" && cells.size() > 1) {
      file = name_below(cells[1], folder);
      column = kNone;
    } else if (cells.front() == "Line No") {
      const auto found = std::ranges::find(cells, kSamples);
      if (found != cells.end()) column = static_cast<std::size_t>(found - cells.begin());
    } else if (column != kNone && cells.size() > column) {
      // An instruction has no line number: its samples are in the row of its line.
      const auto line = whole_number<int>(cells.front());
      const auto count = count_in(cells[column]);
      if (!line || *line < 1 || !count || *count == 0) continue;
      samples[{file, *line}] += *count;
      all += *count;
    }
  }
  std::vector<LineShare> lines;
  if (!(all > 0) || !std::isfinite(all)) return lines;
  for (const auto& [place, count] : samples)
    lines.push_back({place.first, place.second, count / all});
  std::ranges::stable_sort(lines, std::greater(), &LineShare::share);
  return lines;
}

}  // namespace opgrade
