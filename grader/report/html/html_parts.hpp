/// The pieces that an HTML report is put together from.
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
/// The node, to which the attributes were appended.
xml_node with(xml_node node, std::initializer_list<std::pair<const char*, std::string>> attributes);
void append_text(xml_node node, std::string_view text);
xml_node add_section(xml_node parent, std::string_view heading);
/// What is shown when the reader opens its summary.
xml_node add_folded(xml_node parent, std::string_view summary);

struct Cell {
  std::string text;
  const char* css = "";
};

/// A table whose cells carry their column's title for the narrow layout.
class HtmlTable {
 public:
  /// `numbers`: which columns are aligned as numbers; none unless given.
  HtmlTable(xml_node parent, std::vector<const char*> titles, std::vector<bool> numbers = {});

  /// `css` is the row's class.
  void row(const std::vector<Cell>& cells, const char* css = "");
  /// For cells of other kinds than texts: a row, then its cells one after another.
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
