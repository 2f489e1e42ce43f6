#include "grader/core/cpp_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <utility>

namespace opgrade {
namespace {

/// Longer signs before those that they begin with.
constexpr std::array<std::string_view, 17> kSigns{"<<<", ">>>", "<<=", ">>=", "<<", ">>",
                                                  "<=",  ">=",  "==",  "!=",  "+=", "-=",
                                                  "*=",  "&&",  "||",  "++",  "--"};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Lexer {
 public:
  Lexer(std::string_view text, Directives directives) : text_(text), directives_(directives) {}

  std::vector<CppToken> tokens() {
    while (at_ < text_.size()) {
      if (!skip()) take();
    }
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }

  void move(std::size_t count) {
    const auto part = text_.substr(at_, count);
    line_ += static_cast<int>(std::ranges::count(part, '\n'));
    if (const auto last = part.rfind('\n'); last != part.npos) {
      first_of_line_ = part.find_first_not_of(" \t", last + 1) == part.npos;
    } else if (!part.empty() && !is_space(part.front())) {
      first_of_line_ = false;
    }
    at_ += part.size();
  }

  bool whole() const { return directives_ == Directives::whole; }

  /// A string, character or directive of that size.
  void literal(std::size_t size) {
    if (whole()) tokens_.push_back({at_, std::min(size, text_.size() - at_), line_});
    move(size);
  }

  /// Behind the next `end`.
  void move_behind(std::string_view end, std::size_t from) {
    const auto found = text_.find(end, at_ + from);
    move(found == text_.npos ? text_.size() - at_ : found + end.size() - at_);
  }

  /// Where the line ends; a backslash joins the next one to it.
  std::size_t end_of_line() const {
    auto end = text_.find('\n', at_);
    while (end != text_.npos && end > at_ && text_[end - 1] == '\\')
      end = text_.find('\n', end + 1);
    return end == text_.npos ? text_.size() : end;
  }

  bool skip() {
    if (is_space(text_[at_])) {
      move(1);
    } else if (!whole() && starts("\\\n")) {
      at_ += 2;  // no new line of its own
      ++line_;
    } else if (starts("//")) {
      move(end_of_line() - at_);
    } else if (starts("/*")) {
      move_behind("*/", 2);
    } else if (text_[at_] == '#' && first_of_line_) {
      whole() ? literal(end_of_line() - at_) : skip_directive();
    } else if (const auto prefix = whole() ? 0 : raw_string()) {
      const auto open = text_.find('(', at_ + prefix);
      const auto mark = open == text_.npos ? text_.substr(at_, 0)
                                           : text_.substr(at_ + prefix, open - at_ - prefix);
      move_behind(")" + std::string(mark) + "\"", prefix);
    } else if (text_[at_] == '"' || text_[at_] == '\'') {
      const char quote = text_[at_];
      std::size_t size = 1;
      while (at_ + size < text_.size() && text_[at_ + size] != quote)
        size += text_[at_ + size] == '\\' ? 2 : 1;
      literal(size + 1);
    } else {
      return false;
    }
    return true;
  }

  /// The size of what begins a raw string here, such as R" or u8R"; else 0.
  std::size_t raw_string() const {
    for (const std::string_view prefix : {"R\"", "LR\"", "uR\"", "UR\"", "u8R\""})
      if (starts(prefix)) return prefix.size();
    return 0;
  }

  /// The words of the directive here: `#  if 0` has "if" and "0".
  std::pair<std::string_view, std::string_view> directive() const {
    const auto line = text_.substr(at_ + 1, end_of_line() - at_ - 1);
    const auto begin = std::min(line.find_first_not_of(" \t"), line.size());
    auto end = begin;
    while (end < line.size() && is_word(line[end])) ++end;
    const auto rest = std::min(line.find_first_not_of(" \t", end), line.size());
    return {line.substr(begin, end - begin), line.substr(rest)};
  }

  void skip_directive() {
    const auto [name, rest] = directive();
    if (name == "if" && rest.starts_with('0') && (rest.size() == 1 || is_space(rest[1]))) {
      skip_group();
    } else if (name == "define" && directives_ == Directives::macro_bodies) {
      std::size_t size = 0;
      while (size < rest.size() && is_word(rest[size])) ++size;
      if (size < rest.size() && rest[size] == '(')
        size = std::min(rest.find(')', size), rest.size() - 1) + 1;
      move(static_cast<std::size_t>(rest.data() - text_.data()) + size - at_);
    } else {
      move(end_of_line() - at_);
    }
  }

  /// From `#if 0` to its #else, #elif or #endif.
  void skip_group() {
    int depth = 0;
    while (at_ < text_.size()) {
      const auto line = text_.find_first_not_of(" \t", at_);
      if (line != text_.npos && text_[line] == '#') {
        at_ = line;
        const auto name = directive().first;
        depth += name.starts_with("if") ? 1 : name == "endif" ? -1 : 0;
        if (depth == 0 || (depth == 1 && name.starts_with("el"))) break;
      }
      move(std::min(end_of_line() + 1, text_.size()) - at_);
    }
    move(end_of_line() - at_);
  }

  void take() {
    std::size_t size = 1;
    if (is_word(text_[at_])) {
      const bool number = std::isdigit(static_cast<unsigned char>(text_[at_])) != 0;
      const auto goes_on = [&](std::size_t i) {
        if (i >= text_.size()) return false;
        const bool separator = number && text_[i] == '\'' && i + 1 < text_.size();
        return is_word(separator ? text_[i + 1] : text_[i]);
      };
      while (goes_on(at_ + size)) ++size;
    } else if (const auto sign =
                   std::ranges::find_if(kSigns, [&](std::string_view one) { return starts(one); });
               sign != kSigns.end()) {
      size = sign->size();
    }
    tokens_.push_back({at_, size, line_});
    move(size);
  }

  std::string_view text_;
  Directives directives_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool first_of_line_ = true;
  std::vector<CppToken> tokens_;
};

}  // namespace

std::vector<CppToken> cpp_tokens(std::string_view text, Directives directives) {
  return Lexer(text, directives).tokens();
}

}  // namespace opgrade
