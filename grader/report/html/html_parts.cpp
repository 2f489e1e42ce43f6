#include "grader/report/html/html_parts.hpp"

#include "grader/report/words/xml_text.hpp"

namespace opgrade::report {

xml_node add(xml_node parent, const char* name, std::string_view text, const char* css) {
  auto node = parent.append_child(name);
  if (*css != '\0') node.append_attribute("class") = css;
  if (!text.empty()) append_text(node, text);
  return node;
}

xml_node with(xml_node node,
              std::initializer_list<std::pair<const char*, std::string>> attributes) {
  for (const auto& [name, value] : attributes)
    node.append_attribute(name) = xml_text(value).c_str();
  return node;
}

void append_text(xml_node node, std::string_view text) {
  node.append_child(pugi::node_pcdata).set_value(xml_text(text).c_str());
}

xml_node add_section(xml_node parent, std::string_view heading) {
  auto section = add(parent, "section");
  add(section, "h2", heading);
  return section;
}

xml_node add_folded(xml_node parent, std::string_view summary) {
  auto details = add(parent, "details");
  add(details, "summary", summary);
  return details;
}

HtmlTable::HtmlTable(xml_node parent, std::vector<const char*> titles, std::vector<bool> numbers)
    : titles_(std::move(titles)), numbers_(std::move(numbers)) {
  numbers_.resize(titles_.size());
  auto table = add(parent, "table");
  auto row = add(add(table, "thead"), "tr");
  for (std::size_t i = 0; i < titles_.size(); ++i)
    with(add(row, "th", titles_[i], numbers_[i] ? "number" : ""), {{"scope", "col"}});
  body_ = add(table, "tbody");
}

void HtmlTable::row(const std::vector<Cell>& cells, const char* css) {
  begin_row(css);
  for (const auto& [text, cell_css] : cells)
    if (auto cell = next_cell(); !text.empty()) add(cell, "span", text, cell_css);
}

void HtmlTable::begin_row(const char* css) {
  row_ = add(body_, "tr", "", css);
  next_ = 0;
}

xml_node HtmlTable::cell(std::string_view text, const char* css) {
  return add(next_cell(), "span", text, css);
}

xml_node HtmlTable::next_cell() {
  const std::size_t i = next_++;
  return with(add(row_, "td", "", numbers_.at(i) ? "number" : ""), {{"data-label", titles_[i]}});
}

}  // namespace opgrade::report
