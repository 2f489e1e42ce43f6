#include "grader/course/documents/markdown_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "grader/base/core/printable.hpp"
#include "grader/base/core/text_parts.hpp"
#include "grader/base/core/whole_number.hpp"
#include "grader/course/documents/named_pictures.hpp"

namespace opgrade::documents {
namespace {

using pugi::xml_node;

/// Browsers nest elements up to some hundred levels; a report has five.
constexpr int kDeepest = 50;

std::string clean(const char* text) {
  const std::string_view bytes = text;
  return printable(bytes, bytes.size() + 1);
}

void add_text(xml_node parent, const std::string& text) {
  parent.append_child(pugi::node_pcdata).set_value(text.c_str());
}

xml_node add_with_text(xml_node parent, const char* name, const std::string& text) {
  const xml_node node = parent.append_child(name);
  add_text(node, text);
  return node;
}

/// True for an http or https address without blanks.
bool is_web_address(std::string_view address) {
  const auto is_seen = [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '\x7F' && c != '\\';
  };
  const std::string start = lowercase(address.substr(0, 8));
  return (start.starts_with("http://") || start.starts_with("https://")) &&
         std::ranges::all_of(address, is_seen);
}

/// The text of a node and of all that is in it, for a description.
std::string text_within(xml_node node) {
  struct Collector : pugi::xml_tree_walker {
    std::string text;
    bool for_each(xml_node& inner) override {
      if (inner.type() == pugi::node_pcdata && inner.parent().attribute("xml:space"))
        text += inner.value();
      return true;
    }
  } collector;
  node.traverse(collector);
  return printable_line(collector.text);
}

class Writer {
 public:
  explicit Writer(std::span<const std::string> pictures) : pictures_(pictures) {}

  void add_children(xml_node from, xml_node to, int depth) const {
    if (depth > kDeepest) {
      add_text(to, "[nested too deeply to be shown]");
      return;
    }
    for (const xml_node child : from.children())
      if (child.type() == pugi::node_element) add(child, to, depth + 1);
  }

 private:
  void add(xml_node node, xml_node to, int depth) const {
    const std::string_view name = node.name();
    if (name == "text" || name == "html_inline") return add_text(to, clean(node.text().get()));
    if (name == "code") return void(add_with_text(to, "code", clean(node.text().get())));
    if (name == "code_block" || name == "html_block")
      return void(add_with_text(to.append_child("pre"), "code", clean(node.text().get())));
    if (name == "softbreak") return add_text(to, "\n");
    if (name == "linebreak") return void(to.append_child("br"));
    if (name == "thematic_break") return void(to.append_child("hr"));
    if (name == "link") return add_link(node, to, depth);
    if (name == "image") return add_picture(node, to);
    if (name == "list") return add_list(node, to, depth);
    if (name == "table") return add_table(node, to, depth);
    if (name == "heading") return add_children(node, to.append_child(heading(node).c_str()), depth);
    if (name == "tasklist") return add_task(node, to, depth);
    if (name == "paragraph" && is_in_tight_list(node)) return add_children(node, to, depth);
    constexpr std::pair<std::string_view, const char*> kElements[] = {
        {"paragraph", "p"},   {"block_quote", "blockquote"}, {"emph", "em"},
        {"strong", "strong"}, {"strikethrough", "del"},      {"item", "li"}};
    const auto* const found =
        std::ranges::find(kElements, name, [](const auto& e) { return e.first; });
    add_children(node, found == std::end(kElements) ? to : to.append_child(found->second), depth);
  }

  /// The text's headings begin at the third level, because the page has headings above them.
  static std::string heading(xml_node node) {
    constexpr int kAbove = 2, kLast = 6;
    return fmt::format("h{}",
                       std::clamp(node.attribute("level").as_int(1) + kAbove, kAbove + 1, kLast));
  }

  static bool is_in_tight_list(xml_node paragraph) {
    return std::string_view(paragraph.parent().parent().attribute("tight").value()) == "true";
  }

  void add_link(xml_node node, xml_node to, int depth) const {
    const std::string address = node.attribute("destination").value();
    if (!is_web_address(address)) {
      add_children(node, to, depth);
      return;
    }
    xml_node link = to.append_child("a");
    link.append_attribute("href") = address.c_str();
    link.append_attribute("rel") = "noopener noreferrer nofollow";
    add_children(node, link, depth);
    if (text_within(node) != address) add_text(link, fmt::format(" ({})", printable_line(address)));
  }

  void add_picture(xml_node node, xml_node to) const {
    const std::string address = node.attribute("destination").value();
    const auto number = whole_number<std::size_t>(node.attribute(kShownAs).value());
    if (number && *number >= 1 && *number <= pictures_.size()) {
      xml_node picture = to.append_child("img");
      picture.append_attribute("src") = pictures_[*number - 1].c_str();
      picture.append_attribute("alt") = text_within(node).c_str();
      picture.append_attribute("loading") = "lazy";
      return;
    }
    const char* const why = number ? "cannot be shown"
                            : is_elsewhere(address)
                                ? "not loaded, since it is outside of the hand-in"
                                : "not among the files of the hand-in";
    add_text(to,
             fmt::format("[picture {}, {}: {}]", printable_line(address), why, text_within(node)));
  }

  void add_list(xml_node node, xml_node to, int depth) const {
    const bool ordered = std::string_view(node.attribute("type").value()) == "ordered";
    xml_node list = to.append_child(ordered ? "ol" : "ul");
    if (const auto start = whole_number<int>(node.attribute("start").value());
        ordered && start && *start != 1)
      list.append_attribute("start") = *start;
    add_children(node, list, depth);
  }

  void add_task(xml_node node, xml_node to, int depth) const {
    const bool done = std::string_view(node.attribute("completed").value()) == "true";
    const xml_node item = to.append_child("li");
    add_text(item, done ? "\u2611 " : "\u2610 ");
    add_children(node, item, depth);
  }

  void add_table(xml_node node, xml_node to, int depth) const {
    xml_node table = to.append_child("table");
    xml_node body;
    for (const xml_node row : node.children()) {
      if (row.type() != pugi::node_element) continue;
      const bool head = std::string_view(row.name()) == "table_header";
      if (!head && !body) body = table.append_child("tbody");
      xml_node part = head ? table.append_child("thead") : body;
      add_row(row, part.append_child("tr"), head, depth + 1);
    }
  }

  void add_row(xml_node row, xml_node to, bool head, int depth) const {
    for (const xml_node cell : row.children("table_cell")) {
      xml_node added = to.append_child(head ? "th" : "td");
      if (head) added.append_attribute("scope") = "col";
      const std::string_view align = cell.attribute("align").value();
      if (align == "left" || align == "right" || align == "center")
        added.append_attribute("align") = std::string(align).c_str();
      add_children(cell, added, depth + 1);
    }
  }

  std::span<const std::string> pictures_;
};

}  // namespace

void add_markdown_document(xml_node parent, const std::string& tree,
                           std::span<const std::string> pictures) {
  pugi::xml_document document;
  const auto parsed = document.load_buffer(
      tree.data(), tree.size(), pugi::parse_default | pugi::parse_ws_pcdata, pugi::encoding_utf8);
  if (!parsed) {
    add_with_text(parent, "p", "[not readable as Markdown: download the document]");
    return;
  }
  Writer(pictures).add_children(document.child("document"), parent, 0);
}

}  // namespace opgrade::documents
