/// Statements of tasks, written in Markdown with the tables of GitHub's dialect.
#pragma once

#include <pugixml.hpp>
#include <string>

namespace opgrade::service {

/// HTML without scripts, addresses that run any, and the text's own elements, which are shown as
/// they were typed.
std::string markdown_html(const std::string& text);

/// Appends the same to a section of a page: its first heading is one of the third level.
void add_markdown(pugi::xml_node parent, const std::string& text);

}  // namespace opgrade::service
