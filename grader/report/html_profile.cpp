#include "grader/report/html_profile.hpp"

#include "grader/report/advice_words.hpp"
#include "grader/report/html_parts.hpp"
#include "grader/report/html_roofline.hpp"
#include "grader/report/profile_tables.hpp"

namespace opgrade::report {

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
      titles.push_back(column.title);
      numbers.push_back(column.number);
    }
    HtmlTable html(section, titles, numbers);
    for (const auto& row : table.rows) {
      std::vector<Cell> cells;
      for (const auto& text : row.cells) cells.push_back({text});
      html.row(cells, row.leading ? "leading" : "");
    }
  }
}

}  // namespace opgrade::report
