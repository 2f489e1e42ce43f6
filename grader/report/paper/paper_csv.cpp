#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grader/report/formats/csv.hpp"
#include "grader/report/paper/paper_formats.hpp"

namespace opgrade::report {

std::string paper_csv(const Paper& paper) {
  std::size_t widest = 0;
  for (const PaperTable& table : paper.tables) widest = std::max(widest, table.columns.size());
  widest = std::max<std::size_t>(widest, 1) + 1;
  std::string out;
  const auto add = [&](const std::string& name, std::vector<std::string> cells) {
    cells.insert(cells.begin(), csv_cell(name));
    cells.resize(widest);
    out += csv_line(cells);
  };
  for (const PaperTable& table : paper.tables) {
    std::vector<std::string> titles;
    for (const PaperColumn& column : table.columns)
      titles.push_back(csv_cell(
          column.unit.empty() ? column.title : fmt::format("{} ({})", column.title, column.unit)));
    add(table.name, std::move(titles));
    for (const PaperRow& row : table.rows) {
      std::vector<std::string> cells;
      for (const PaperCell& cell : row.cells)
        cells.push_back(cell.number && std::isfinite(*cell.number)
                            ? fmt::format("{:.10g}", *cell.number)
                            : csv_cell(cell.text));
      add(table.name, std::move(cells));
    }
  }
  if (!paper.remarks.empty()) add("remarks", {"remark"});
  for (const std::string& remark : paper.remarks) add("remarks", {csv_cell(remark)});
  return out;
}

}  // namespace opgrade::report
