/// Shows statements of tasks, which are written in Markdown with the tables of GitHub's dialect.
#pragma once

#include <pugixml.hpp>
#include <string>

namespace opgrade::service {

/// Makes HTML without scripts and without addresses that run scripts. HTML elements in the text are
/// shown as they were typed.
std::string markdown_html(const std::string& text);

/// Appends markdown_html() to a section of a page. Its first heading is one of the third level.
void add_markdown(pugi::xml_node parent, const std::string& text);

}  // namespace opgrade::service
