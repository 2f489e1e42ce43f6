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
  explicit Lexer(std::string_view text) : text_(text) {}

  std::vector<CppToken> tokens() {
    while (at_ < text_.size()) {
      if (!skip()) take();
    }
    return std::move(tokens_);
  }

 private:
  bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }

  void move_to(std::size_t end) {
    line_ += static_cast<int>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
    at_ = end;
  }

  /// Where the line ends; a backslash joins the next one to it.
  std::size_t end_of_line() const {
    auto end = text_.find('\n', at_);
    while (end != text_.npos && end > at_ && text_[end - 1] == '\\')
      end = text_.find('\n', end + 1);
    return end == text_.npos ? text_.size() : end;
  }

  /// A comment is a space to the compiler, whatever lines it has.
  bool skip() {
    if (is_space(text_[at_])) {
      first_of_line_ |= text_[at_] == '\n';
      move_to(at_ + 1);
    } else if (starts("//")) {
      move_to(end_of_line());
    } else if (starts("/*")) {
      const auto end = text_.find("*/", at_ + 2);
      move_to(end == text_.npos ? text_.size() : end + 2);
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

  std::size_t raw_string_end(std::size_t prefix) const {
    const auto open = text_.find('(', at_ + prefix);
    if (open == text_.npos) return text_.size();
    const auto mark = text_.substr(at_ + prefix, open - at_ - prefix);
    const std::string closing = ")" + std::string(mark) + "\"";
    const auto end = text_.find(closing, open);
    return end == text_.npos ? text_.size() : end + closing.size();
  }

  /// Of a string or a character.
  std::size_t quoted_size() const {
    std::size_t size = 1;
    while (at_ + size < text_.size() && text_[at_ + size] != text_[at_])
      size += text_[at_ + size] == '\\' ? 2 : 1;
    return size + 1;
  }

  /// Of a name, or of what the standard calls a preprocessing number: 1'000, 0x1p-3, .5e+1f.
  std::size_t word_size(bool number) const {
    const auto goes_on = [&](std::size_t i) {
      if (i >= text_.size()) return false;
      if (is_word(text_[i])) return true;
      if (!number) return false;
      const char before = text_[i - 1];
      const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
      return text_[i] == '.' || (exponent && (text_[i] == '+' || text_[i] == '-')) ||
             (text_[i] == '\'' && i + 1 < text_.size() && is_word(text_[i + 1]));
    };
    std::size_t size = 1;
    while (goes_on(at_ + size)) ++size;
    return size;
  }

  std::size_t size_of_token() const {
    const auto is_digit = [&](std::size_t i) {
      return i < text_.size() && std::isdigit(static_cast<unsigned char>(text_[i])) != 0;
    };
    const char first = text_[at_];
    if (first == '#' && first_of_line_) return end_of_line() - at_;
    if (const auto prefix = raw_string()) return raw_string_end(prefix) - at_;
    if (first == '"' || first == '\'') return quoted_size();
    const bool number = is_digit(at_) || (first == '.' && is_digit(at_ + 1));
    if (number || is_word(first)) return word_size(number);
    const auto sign =
        std::ranges::find_if(kSigns, [&](std::string_view one) { return starts(one); });
    return sign != kSigns.end() ? sign->size() : 1;
  }

  void take() {
    const auto size = std::min(size_of_token(), text_.size() - at_);
    tokens_.push_back({at_, size, line_});
    first_of_line_ = false;
    move_to(at_ + size);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool first_of_line_ = true;
  std::vector<CppToken> tokens_;
};

}  // namespace

std::vector<CppToken> cpp_tokens(std::string_view text) { return Lexer(text).tokens(); }

}  // namespace opgrade
