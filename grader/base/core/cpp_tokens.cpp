#include "grader/base/core/cpp_tokens.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace opgrade {
namespace {

/// A longer sign stands before the signs that it begins with.
constexpr std::array<std::string_view, 18> kSigns{"...", "<<<", ">>>", "<<=", ">>=", "<<",
                                                  ">>",  "<=",  ">=",  "==",  "!=",  "+=",
                                                  "-=",  "*=",  "&&",  "||",  "++",  "--"};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
/// Accepts $ and letters beyond ASCII, as compilers do in names.
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

Quoted quoted_at(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && text[size] != text.front()) {
    if (text[size] == '\n') return {size, false};
    size += text[size] == '\\' ? 2 : 1;
  }
  return {size + 1, size < text.size()};
}

std::optional<CppToken> CppLexer::next() {
  while (at_ < text_.size())
    if (!skip()) return take();
  return std::nullopt;
}

void CppLexer::skip_to_directive() {
  while (at_ < text_.size() && !(first_of_line_ && text_[at_] == '#')) {
    const auto end = text_.find('\n', at_);
    first_of_line_ = end != text_.npos;
    line_ += first_of_line_ ? 1 : 0;
    at_ = first_of_line_ ? end + 1 : text_.size();
  }
}

void CppLexer::move_to(std::size_t end) {
  line_ += static_cast<int>(std::ranges::count(text_.substr(at_, end - at_), '\n'));
  at_ = end;
}

/// A backslash joins the next line to this one.
std::size_t CppLexer::end_of_line() const {
  auto end = text_.find('\n', at_);
  while (end != text_.npos && end > at_ && text_[end - 1] == '\\') end = text_.find('\n', end + 1);
  return end == text_.npos ? text_.size() : end;
}

/// Size of a directive. A comment in a directive may continue on the next line, and so may the
/// directive.
std::size_t CppLexer::directive_size() const {
  std::size_t i = at_;
  while (i < text_.size() && text_[i] != '\n') {
    const std::string_view rest = text_.substr(i);
    if (rest.starts_with("//")) return end_of_line() - at_;
    if (rest.starts_with("/*")) {
      const auto end = text_.find("*/", i + 2);
      i = end == text_.npos ? text_.size() : end + 2;
    } else if (rest.front() == '\\') {
      i += rest.starts_with("\\\r\n") ? 3 : 2;
    } else if (rest.front() == '"' || rest.front() == '\'') {
      const auto end = rest.find_first_of(rest.front() == '"' ? "\"\n\\" : "'\n\\", 1);
      i += end == rest.npos ? rest.size() : end + (rest[end] == rest.front() ? 1 : 0);
    } else {
      ++i;
    }
  }
  return std::min(i, text_.size()) - at_;
}

/// Skips a space or a comment, which counts as a space however many lines it has.
bool CppLexer::skip() {
  if (is_space(text_[at_])) {
    first_of_line_ |= text_[at_] == '\n' && directives_ == Directives::tokens;
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

/// The end of a raw string that begins here, such as R"x( or u8R"(; 0 if none begins here.
std::size_t CppLexer::raw_string_end() const {
  constexpr std::size_t kLongestMark = 16;  // limit of the C++ standard
  for (const std::string_view prefix : {"R\"", "LR\"", "uR\"", "UR\"", "u8R\""}) {
    if (!starts(prefix)) continue;
    const auto begin = at_ + prefix.size();
    const auto size = text_.substr(begin, kLongestMark + 1).find('(');
    if (size == text_.npos) return 0;
    const std::string closing = ")" + std::string(text_.substr(begin, size)) + "\"";
    const auto end = text_.find(closing, begin + size);
    return end == text_.npos ? text_.size() : end + closing.size();
  }
  return 0;
}

/// Size of a name, or of what the standard calls a preprocessing number: 1'000, 0x1p-3, .5e+1f.
std::size_t CppLexer::word_size(bool number) const {
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

std::size_t CppLexer::size_of_token() const {
  const auto is_digit = [&](std::size_t i) {
    return i < text_.size() && std::isdigit(static_cast<unsigned char>(text_[i])) != 0;
  };
  const char first = text_[at_];
  if (first == '#' && first_of_line_) return directive_size();
  if (const auto end = raw_string_end()) return end - at_;
  if (first == '"' || first == '\'') return quoted_at(text_.substr(at_)).size;
  const bool number = is_digit(at_) || (first == '.' && is_digit(at_ + 1));
  if (number || is_word(first)) return word_size(number);
  const auto* const sign =
      std::ranges::find_if(kSigns, [&](std::string_view one) { return starts(one); });
  return sign != kSigns.end() ? sign->size() : 1;
}

CppToken CppLexer::take() {
  const CppToken token{at_, std::min(size_of_token(), text_.size() - at_), line_};
  first_of_line_ = false;
  move_to(at_ + token.size);
  return token;
}

std::vector<CppToken> cpp_tokens(std::string_view text) {
  std::vector<CppToken> all;
  CppLexer lexer(text);
  while (const auto token = lexer.next()) all.push_back(*token);
  return all;
}

}  // namespace opgrade
