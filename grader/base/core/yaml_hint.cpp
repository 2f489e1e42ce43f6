#include "grader/base/core/yaml_hint.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace opgrade {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }

/// Reads a text up to a place as YAML would, but knows only brackets, quotes and comments.
class Scan {
 public:
  struct Place {
    std::size_t at;
    int line, column;
  };

  Scan(std::string_view text, int line, int column) : text_(text) {
    while (here_.at < text_.size() && !is_at_end(line, column)) step();
  }

  char next() const { return here_.at < text_.size() ? text_[here_.at] : '\n'; }
  char before() const { return here_.at > 0 ? text_[here_.at - 1] : '\n'; }
  const Place& here() const { return here_; }
  /// The innermost open bracket, [ or {; null if there is none.
  const Place* bracket() const { return brackets_.empty() ? nullptr : &brackets_.back(); }
  char at(const Place& place) const { return text_[place.at]; }
  /// A quote that is open at the end of its line.
  const std::optional<Place>& long_quote() const { return long_quote_; }
  /// The '#' of a comment with a bracket that would close one opened in the same line.
  const std::optional<Place>& hiding_comment() const { return hiding_comment_; }

  /// The last non-empty line above: "title:x".
  std::string_view line_above() const {
    std::size_t end = text_.rfind('\n', here_.at > 0 ? here_.at - 1 : 0);
    while (end != text_.npos && end > 0) {
      const auto begin = text_.rfind('\n', end - 1) + 1;
      const auto line = text_.substr(begin, end - begin);
      if (line.find_first_not_of(" \t\r") != line.npos) return line;
      end = begin > 0 ? begin - 1 : 0;
    }
    return {};
  }

 private:
  bool is_at_end(int line, int column) const {
    return here_.line > line || (here_.line == line && here_.column >= column);
  }

  /// A quote or a bracket inside a word is an ordinary character.
  bool begins_value() const {
    auto at = here_.at;
    while (at > 0 && is_blank(text_[at - 1])) --at;
    return at == 0 || std::string_view("\n[{,:-?").find(text_[at - 1]) != std::string_view::npos;
  }

  void step() {
    const char c = text_[here_.at];
    if (c == '\n') {
      in_comment_ = false;
      if (quote_) long_quote_ = quote_;
    } else if (in_comment_) {
    } else if (quote_) {
      if (c == '\\' && text_[quote_->at] == '"')
        go_on();
      else if (c == text_[quote_->at])
        quote_.reset(), long_quote_.reset();
    } else if ((c == '"' || c == '\'') && begins_value()) {
      quote_ = here_;
    } else if (c == '#' && (here_.column == 0 || is_blank(text_[here_.at - 1]))) {
      in_comment_ = true;
      look_into_comment();
    } else if ((c == '{' || c == '[') && begins_value()) {
      brackets_.push_back(here_);
    } else if ((c == '}' || c == ']') && !brackets_.empty()) {
      brackets_.pop_back();
    }
    if (here_.at < text_.size()) go_on();
  }

  void look_into_comment() {
    const auto comment = text_.substr(here_.at, text_.find('\n', here_.at) - here_.at);
    if (!brackets_.empty() && brackets_.back().line == here_.line &&
        comment.find_first_of("]}") != comment.npos)
      hiding_comment_ = here_;
  }

  void go_on() {
    const bool new_line = text_[here_.at] == '\n';
    here_ = {here_.at + 1, here_.line + (new_line ? 1 : 0), new_line ? 0 : here_.column + 1};
  }

  std::string_view text_;
  Place here_{0, 0, 0};
  std::vector<Place> brackets_;
  std::optional<Place> quote_, long_quote_, hiding_comment_;
  bool in_comment_ = false;
};

/// True for a line such as "title:x", whose colon makes no key because no blank follows it.
bool lacks_blank(std::string_view line) {
  const auto colon = line.find(':');
  return colon != line.npos && colon + 1 < line.size() && !is_blank(line[colon + 1]) &&
         line.find(": ") == line.npos && line.back() != ':';
}

/// Advice for the character at which the parser stopped.
std::string advice_at(const Scan& scan) {
  const char next = scan.next(), before = scan.before();
  const std::string sign(1, next);
  const bool in_flow = scan.bracket() != nullptr;
  if (next == ':' && !in_flow && lacks_blank(scan.line_above()))
    return "the line above has no blank behind its colon";
  if (next == ':')
    return in_flow ? "in {...} a comma ends a value: one is missing here, or a text with a colon "
                     "needs quotes"
                   : "a line has one key: put a text with ': ' in quotes, and a mapping in {...}";
  if (next == '"' || next == '\'') return "the quote that begins here is not closed";
  if (before == '"' || before == '\'')
    return "a text goes on behind its closing quote: write a ' within '...' as '', or use \"...\"";
  if ((next == '[' || next == '{') && in_flow && !is_blank(before))
    return "put a text with '" + sign + "' in quotes; behind a key stand a colon and a blank";
  if (next == ']' || next == '}')
    return "the brackets do not match: one is missing before '" + sign +
           "', or a text with a bracket needs quotes";
  if (std::string_view("*&!%@`|>?-").find(next) != std::string_view::npos)
    return "a text that begins with '" + sign + "' needs quotes";
  return in_flow ? "in {...} and [...] a comma stands between two values: one is missing here" : "";
}

}  // namespace

std::optional<YamlHint> yaml_hint(std::string_view text, int line, int column) {
  const Scan scan(text, line, column);
  const auto hint = [](const Scan::Place& place, std::string advice) {
    return YamlHint{place.line, place.column, std::move(advice)};
  };
  if (scan.long_quote())
    return hint(*scan.long_quote(), "the quote that begins here is not closed");
  if (scan.hiding_comment())
    return hint(
        *scan.hiding_comment(),
        "'#' behind a blank begins a comment, which hides the bracket behind it: put a text "
        "with '#' in quotes");
  if (const auto* const open = scan.bracket(); open != nullptr && open->line < scan.here().line)
    return hint(*open, std::string("this '") + scan.at(*open) + "' is not closed in its line");
  std::string advice = advice_at(scan);
  if (advice.empty()) return std::nullopt;
  return hint(scan.here(), std::move(advice));
}

bool is_open_quote(std::string_view text, int line, int column) {
  std::size_t at = 0;
  for (; line > 0 && at != text.npos; --line) at = text.find('\n', at) + 1;
  at += static_cast<std::size_t>(column);
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return false;
  const char quote = text[at];
  while (++at < text.size() && text[at] != quote)
    if (quote == '"' && text[at] == '\\') ++at;
  return at >= text.size();
}

bool has_open_bracket(std::string_view text) {
  int depth = 0;
  for (const char c : text) depth = std::max(depth + (c == '(' ? 1 : c == ')' ? -1 : 0), 0);
  return depth > 0;
}

}  // namespace opgrade
