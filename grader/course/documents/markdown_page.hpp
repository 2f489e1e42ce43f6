/// Shows a stranger's Markdown as part of a page.
#pragma once

#include <pugixml.hpp>
#include <span>
#include <string>

namespace opgrade::documents {

/// Appends RenderedDocument::markdown to a section of a page; its first heading is one of the third
/// level. `pictures` has the addresses of RenderedDocument::pages, in their order.
///
/// Each kind of node has one element that is made here, so nothing that a student wrote becomes an
/// element, an attribute's name, an id or a style. Raw HTML is shown as it was typed. A link leads
/// to http or https, shows its address and sends no referrer; any other link is its text. A picture
/// is one of `pictures`, or its address and description as text: the page loads nothing else.
void add_markdown_document(pugi::xml_node parent, const std::string& tree,
                           std::span<const std::string> pictures = {});

}  // namespace opgrade::documents
