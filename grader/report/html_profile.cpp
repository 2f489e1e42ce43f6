#include "grader/report/html_profile.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <sstream>

#include "grader/report/advice_words.hpp"
#include "grader/report/html_parts.hpp"
#include "grader/report/html_roofline.hpp"
#include "grader/report/profile_tables.hpp"

namespace opgrade::report {
namespace {

/// Of one line, or of all.
struct Heat {
  double passes = 0;
  std::int64_t requests = 0, sectors = 0, least_sectors = 0;
};

/// The share of each line in the passes through the load and store units.
void add_source(xml_node section, const ProfileReport& profile, const ProfileSource& source) {
  std::map<int, Heat> lines;
  double total = 0;
  for (const ProfileCountRow& row : profile.counts)
    for (const ProfileAccessRow& access : row.accesses) {
      total += passes_of(access);
      if (access.file.substr(access.file.rfind('/') + 1) != source.file) continue;
      Heat& heat = lines[access.line];
      heat.passes += passes_of(access);
      heat.requests += access.requests;
      heat.sectors += access.sectors;
      heat.least_sectors += access.least_sectors;
    }
  add(section, "h3", source.file);
  add(section, "p",
      "share: of all passes through the load and store units, at the first line of a statement. "
      "sectors: that a request touches, and that hold its data.",
      "soft");
  auto list = add(section, "table", "", "source");
  std::istringstream text(source.text);
  int number = 0;
  for (std::string line; std::getline(text, line);) {
    auto row = add(list, "tr");
    const auto found = lines.find(++number);
    const Heat heat = found != lines.end() ? found->second : Heat{};
    const double share = total > 0 ? heat.passes / total : 0;
    const std::string css = fmt::format("heat heat{:.0f}", std::ceil(4 * share));
    add(row, "td", share > 0 ? fmt::format("{:.1f} %", 100 * share) : "", css.c_str());
    const auto of = [&](std::int64_t n) {
      return static_cast<double>(n) / static_cast<double>(heat.requests);
    };
    add(row, "td",
        heat.sectors > 0 ? fmt::format("{:.1f} ({:.1f})", of(heat.sectors), of(heat.least_sectors))
                         : "",
        "heat");
    add(row, "td", fmt::format("{}", number), "soft");
    add(add(row, "td"), "code", line);
  }
}

}  // namespace

void add_profile(xml_node body, const std::string& id, const ProfileReport& profile) {
  auto section = add(body, "section", "", "profile");
  add(section, "h2", "Profile of " + id);
  for (const auto& remark : profile_remarks(profile)) add(section, "p", remark, "soft");
  add_roofline(section, profile);
  if (!profile.advice.empty()) {
    add(section, "h3", "Steps to a faster kernel");
    auto list = add(section, "ol");
    for (const auto& advice : profile.advice) add(list, "li", advice_sentence(advice));
  }
  for (const auto& table : profile_tables(profile)) {
    add(section, "h3", table.title);
    if (!table.note.empty()) add(section, "p", table.note, "soft");
    std::vector<const char*> titles;
    std::vector<bool> numbers;
    for (const auto& column : table.columns) {
      titles.push_back(column.title.c_str());
      numbers.push_back(column.right);
    }
    HtmlTable html(section, titles, numbers);
    for (const auto& row : table.rows) {
      std::vector<Cell> cells;
      for (const auto& text : row.cells) cells.push_back({text});
      html.row(cells, row.leading ? "leading" : "");
    }
  }
  for (const auto& source : profile.sources) add_source(section, profile, source);
}

}  // namespace opgrade::report
