// Students' documents, and what a renderer that a document has taken over may write: pictures and
// trees of Markdown. Whatever the bytes, a page has no element and no address but its own, and a
// header has one line.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "grader/base/core/text_parts.hpp"
#include "grader/course/documents/document.hpp"
#include "grader/course/documents/markdown_page.hpp"
#include "grader/course/documents/named_pictures.hpp"
#include "grader/course/documents/picture_header.hpp"
#include "grader/course/documents/png_stream.hpp"
#include "grader/course/documents/served_headers.hpp"

using namespace opgrade::documents;

namespace {

void demand(bool right) {
  if (!right) std::abort();
}

constexpr std::array<std::string_view, 25> kElements{
    "section", "p",     "h3", "h4", "h5", "h6",         "em", "strong", "del",
    "code",    "pre",   "br", "hr", "a",  "ul",         "ol", "li",     "table",
    "thead",   "tbody", "tr", "th", "td", "blockquote", "img"};
constexpr std::array<std::string_view, 8> kAttributes{"href",  "rel", "start", "scope",
                                                      "align", "src", "alt",   "loading"};
constexpr const char* kPicture = "/documents/7/pages/1";

struct OwnElements : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    demand(depth() < 300);
    if (node.type() == pugi::node_pcdata) return true;
    demand(node.type() == pugi::node_element && std::ranges::count(kElements, node.name()) == 1);
    for (const auto attribute : node.attributes())
      demand(std::ranges::count(kAttributes, attribute.name()) == 1);
    const std::string_view link = node.attribute("href").value();
    demand(link.empty() || link.substr(0, 4).find_first_not_of("htpHTP") == link.npos);
    demand((std::string_view(node.name()) == "img") ==
           (std::string_view(node.attribute("src").value()) == kPicture));
    return true;
  }
};

void try_markdown(const std::string& tree) {
  pugi::xml_document page;
  add_markdown_document(page.append_child("section"), tree, std::array{std::string(kPicture)});
  OwnElements own;
  page.traverse(own);
}

void try_names_of_pictures(const std::string& text) {
  for (const std::string& name : picture_names_in(text)) demand(name.size() <= 100);
  for (const std::string& path : paths_in(text)) {
    demand(!path.starts_with('/') && ("/" + path + "/").find("/../") == path.npos);
    demand(find_picture(std::array{NamedPicture{path, ""}}, opgrade::encode_percent(path, "/")) !=
           nullptr);
  }
}

void try_pictures(std::string_view bytes) {
  constexpr int kSide = 1600;
  std::size_t all = 0;
  for (const std::string& picture : split_pngs(bytes, kSide)) {
    const auto header = png_header(picture);
    demand(header && std::max(header->width, header->height) <= kSide);
    all += picture.size();
  }
  demand(all <= bytes.size());
  if (const auto header = jpeg_header(bytes))
    demand(header->pixels() > 0 && header->orientation >= 1 && header->orientation <= 8);
}

void try_name(const std::string& name) {
  for (const auto& [key, value] : download_headers(name).headers)
    demand(value.find_first_of(std::string_view("\r\n\0", 3)) == value.npos && value.size() < 600);
  const auto checked = check_document(name, "%PDF-1.7");
  demand(checked || (checked.error().reason.find_first_of("\r\n") == std::string::npos &&
                     !checked.error().hint.empty()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  DocumentBounds bounds;
  bounds.picture_pixels = 10'000;
  for (const char* const name : {"a.pdf", "a.md", "a.png", "a.jpg"})
    if (const auto kind = check_document(name, text, bounds))
      demand(kind_of_name(name) == *kind && kind_of(text) == *kind);
  try_pictures(text);
  try_markdown(text);
  try_markdown("<document>" + text + "</document>");
  try_names_of_pictures(text);
  try_name(text);
  return 0;
}
