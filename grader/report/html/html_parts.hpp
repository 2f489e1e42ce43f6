/// The parts of which an HTML report consists.
#pragma once

#include <initializer_list>
#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace opgrade::report {

using pugi::xml_node;

/// Appends `<name class="css">text</name>`.
xml_node add(xml_node parent, const char* name, std::string_view text = {}, const char* css = "");
/// Appends the attributes and returns the node.
xml_node with(xml_node node, std::initializer_list<std::pair<const char*, std::string>> attributes);
void append_text(xml_node node, std::string_view text);
xml_node add_section(xml_node parent, std::string_view heading);
/// Appends content that is shown when the reader opens its summary.
xml_node add_folded(xml_node parent, std::string_view summary);

struct Cell {
  std::string text;
  const char* css = "";
};

/// A table whose cells also contain their column's title, for the narrow layout.
class HtmlTable {
 public:
  /// `numbers`: for each column, whether it is aligned as numbers; empty: no column is.
  HtmlTable(xml_node parent, std::vector<const char*> titles, std::vector<bool> numbers = {});

  /// `css`: class of the row.
  void row(const std::vector<Cell>& cells, const char* css = "");
  /// For cells that are not only text: begin a row, then append its cells.
  void begin_row(const char* css = "");
  xml_node cell(std::string_view text = {}, const char* css = "");

 private:
  xml_node next_cell();

  std::vector<const char*> titles_;
  std::vector<bool> numbers_;
  xml_node body_, row_;
  std::size_t next_ = 0;
};

}  // namespace opgrade::report
