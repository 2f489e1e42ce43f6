#include "grader/tasks/folder/source_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace opgrade {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Longer signs before those that they begin with.
constexpr std::array<std::string_view, 17> kSigns{"<<<", ">>>", "<<=", ">>=", "<<", ">>",
                                                  "<=",  ">=",  "==",  "!=",  "+=", "-=",
                                                  "*=",  "&&",  "||",  "++",  "--"};

class Lexer {
 public:
  Lexer(std::string_view text, bool all) : text_(text), all_(all) {}

  std::vector<SourceToken> tokens() {
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
    } else if (!part.empty() && !std::isspace(static_cast<unsigned char>(part.front()))) {
      first_of_line_ = false;
    }
    at_ += part.size();
  }

  /// `size` characters, which are a token where all are.
  void literal(std::size_t size) {
    if (all_) tokens_.push_back({at_, std::min(size, text_.size() - at_), line_});
    move(size);
  }

  /// To the end of the line; a backslash there continues the line.
  std::size_t line_size() const {
    for (auto end = text_.find('\n', at_); end != text_.npos; end = text_.find('\n', end + 1))
      if (text_[end - 1] != '\\') return end - at_;
    return text_.size() - at_;
  }

  /// Behind the next `end`.
  void move_behind(std::string_view end, std::size_t from) {
    const auto found = text_.find(end, at_ + from);
    move(found == text_.npos ? text_.size() - at_ : found + end.size() - at_);
  }

  bool skip() {
    if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
      move(1);
    } else if (starts("//")) {
      move(line_size());
    } else if (text_[at_] == '#' && first_of_line_) {
      literal(line_size());
    } else if (starts("/*")) {
      move_behind("*/", 2);
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

  void take() {
    std::size_t size = 1;
    if (is_word(text_[at_])) {
      const bool number = std::isdigit(static_cast<unsigned char>(text_[at_]));
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
  bool all_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool first_of_line_ = true;
  std::vector<SourceToken> tokens_;
};

}  // namespace

std::vector<SourceToken> tokens_of_source(std::string_view text, bool all) {
  return Lexer(text, all).tokens();
}

}  // namespace opgrade
