/// The pieces that an HTML report is put together from.
#pragma once

#include <pugixml.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade::report {

using pugi::xml_node;

/// Appends `<name class="css">text</name>`.
xml_node add(xml_node parent, const char* name, std::string_view text = {}, const char* css = "");

struct Cell {
  std::string text;
  const char* css = "";
};

/// A table whose cells carry their column's title for the narrow layout.
class HtmlTable {
 public:
  /// `numbers`: which columns are aligned as numbers.
  HtmlTable(xml_node parent, std::vector<const char*> titles, std::vector<bool> numbers);

  /// `css` is the row's class.
  void row(const std::vector<Cell>& cells, const char* css = "");

 private:
  std::vector<const char*> titles_;
  std::vector<bool> numbers_;
  xml_node body_;
};

}  // namespace opgrade::report
