/// Shows a stranger's Markdown as part of a page.
#pragma once

#include <functional>
#include <optional>
#include <pugixml.hpp>
#include <string>

namespace opgrade::documents {

/// The service's address of a picture that was handed in with the document, by the name that the
/// Markdown has; nothing for any other name.
using PictureAddress = std::function<std::optional<std::string>(const std::string& name)>;

/// Appends RenderedDocument::markdown to a section of a page; its first heading is one of the third
/// level.
///
/// Elements are made here, one for each kind of node, so nothing that a student wrote becomes an
/// element, an attribute's name, an id or a style. Raw HTML is shown as it was typed. A link leads
/// to http or https, shows its address and sends no referrer; any other link is its text. A picture
/// has the address that `pictures` gives, else its description and its address are shown as text:
/// the page loads from this site alone.
void add_markdown_document(pugi::xml_node parent, const std::string& tree,
                           const PictureAddress& pictures);

}  // namespace opgrade::documents
