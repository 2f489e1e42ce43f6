#include "grader/report/html_parts.hpp"

#include "grader/report/junit.hpp"

namespace opgrade::report {

xml_node add(xml_node parent, const char* name, std::string_view text, const char* css) {
  auto node = parent.append_child(name);
  if (*css != '\0') node.append_attribute("class") = css;
  if (!text.empty()) node.append_child(pugi::node_pcdata).set_value(xml_text(text).c_str());
  return node;
}

HtmlTable::HtmlTable(xml_node parent, std::vector<const char*> titles, std::vector<bool> numbers)
    : titles_(std::move(titles)), numbers_(std::move(numbers)) {
  auto table = add(parent, "table");
  auto row = add(add(table, "thead"), "tr");
  for (std::size_t i = 0; i < titles_.size(); ++i) {
    add(row, "th", titles_[i], numbers_[i] ? "number" : "").append_attribute("scope") = "col";
  }
  body_ = add(table, "tbody");
}

void HtmlTable::row(const std::vector<Cell>& cells, const char* css) {
  auto row = add(body_, "tr", "", css);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    auto cell = add(row, "td", "", numbers_[i] ? "number" : "");
    cell.append_attribute("data-label") = titles_[i];
    if (!cells[i].text.empty()) add(cell, "span", cells[i].text, cells[i].css);
  }
}

}  // namespace opgrade::report
