#include "grader/service/pages/markdown.hpp"

#include <cmark-gfm-core-extensions.h>
#include <cmark-gfm.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <vector>

#include "grader/base/core/printable.hpp"

namespace opgrade::service {
namespace {

using Parser = std::unique_ptr<cmark_parser, decltype(&cmark_parser_free)>;
using Node = std::unique_ptr<cmark_node, decltype(&cmark_node_free)>;
using Text = std::unique_ptr<char, decltype(&std::free)>;

/// Turns HTML into text. To Markdown, a type in angle brackets, as in vector<float>, is HTML, and
/// the library would leave it out.
void show_elements_as_text(cmark_node* document) {
  std::vector<cmark_node*> elements;
  cmark_iter* const iter = cmark_iter_new(document);
  while (cmark_iter_next(iter) != CMARK_EVENT_DONE) {
    cmark_node* const node = cmark_iter_get_node(iter);
    const cmark_node_type type = cmark_node_get_type(node);
    if (type == CMARK_NODE_HTML_INLINE || type == CMARK_NODE_HTML_BLOCK) elements.push_back(node);
  }
  cmark_iter_free(iter);
  for (cmark_node* const node : elements) {
    const bool in_line = cmark_node_get_type(node) == CMARK_NODE_HTML_INLINE;
    cmark_node* const text = cmark_node_new(in_line ? CMARK_NODE_TEXT : CMARK_NODE_CODE_BLOCK);
    cmark_node_set_literal(text, cmark_node_get_literal(node));
    cmark_node_replace(node, text);
    cmark_node_free(node);
  }
}

/// Adapts the text to the page: lowers headings, because the page has headings above them, and
/// tells screen readers what a header cell belongs to.
struct OfPage : pugi::xml_tree_walker {
  bool for_each(pugi::xml_node& node) override {
    const std::string name = node.name();
    if (name.size() == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6') {
      constexpr int kAbove = 2, kDeepest = 6;
      node.set_name(fmt::format("h{}", std::min(name[1] - '0' + kAbove, kDeepest)).c_str());
    } else if (name == "th") {
      node.append_attribute("scope") = "col";
    }
    return true;
  }
};

}  // namespace

std::string markdown_html(const std::string& text) {
  cmark_gfm_core_extensions_ensure_registered();
  const Parser parser(cmark_parser_new(CMARK_OPT_VALIDATE_UTF8), &cmark_parser_free);
  if (!parser) throw std::bad_alloc();
  for (const char* const name : {"table", "strikethrough", "autolink"})
    cmark_parser_attach_syntax_extension(parser.get(), cmark_find_syntax_extension(name));
  constexpr std::size_t kLongestLine = 10'000;  // a paragraph may be one line
  const std::string clean = printable(text, kLongestLine);
  cmark_parser_feed(parser.get(), clean.data(), clean.size());
  const Node document(cmark_parser_finish(parser.get()), &cmark_node_free);
  show_elements_as_text(document.get());
  // Because CMARK_OPT_UNSAFE is not set, no address runs a script.
  const Text html(cmark_render_html(document.get(), CMARK_OPT_DEFAULT,
                                    cmark_parser_get_syntax_extensions(parser.get())),
                  &std::free);
  return html.get();
}

void add_markdown(pugi::xml_node parent, const std::string& text) {
  const std::string html = markdown_html(text);
  // The library writes XHTML, in which every element is closed.
  const auto parsed =
      parent.append_buffer(html.data(), html.size(), pugi::parse_default | pugi::parse_ws_pcdata);
  if (!parsed) parent.append_child("pre").text().set(printable(text).c_str());
  OfPage of_page;
  parent.traverse(of_page);
}

}  // namespace opgrade::service
