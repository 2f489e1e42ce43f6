#include "grader/emulation/translator/lexer.hpp"

#include <cctype>
#include <map>

namespace opgrade::emulation {
namespace {

bool starts_identifier(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80);
}
bool continues_identifier(char c) {
  return starts_identifier(c) || std::isdigit(static_cast<unsigned char>(c));
}

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view own_headers)
      : text_(text), own_headers_(own_headers) {}

  LexedText run() {
    while (at_ < text_.size()) {
      if (at_line_start_ && text_[at_] == '#') {
        directive();
      } else if (!students_) {
        skip_line();
      } else {
        next();
      }
    }
    return std::move(result_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  void newline() {
    ++at_;
    ++line_;
    line_begin_ = at_;
    at_line_start_ = true;
  }

  void skip_line() {
    const std::size_t end = text_.find('\n', at_);
    at_ = end == std::string_view::npos ? text_.size() : end;
    if (at_ < text_.size()) newline();
  }

  /// A line marker (`# 12 "file" 1 3`) moves the place; a #pragma is passed over.
  void directive() {
    const std::size_t end = std::min(text_.find('\n', at_), text_.size());
    const std::string_view whole = text_.substr(at_, end - at_);
    std::size_t i = 1;
    while (i < whole.size() && whole[i] == ' ') ++i;
    int number = 0;
    const std::size_t digits = i;
    while (i < whole.size() && std::isdigit(static_cast<unsigned char>(whole[i])))
      number = number * 10 + (whole[i++] - '0');
    const bool marker = i > digits && i + 1 < whole.size() && whole[i + 1] == '"';
    std::size_t close = std::string_view::npos;
    if (marker) close = whole.rfind('"');
    skip_line();
    if (!marker || close <= i + 1) return;
    const std::string name(whole.substr(i + 2, close - i - 2));
    enter(name, whole.substr(close + 1).find('3') != std::string_view::npos);
    line_ = number;
  }

  void enter(const std::string& name, bool system) {
    const auto [found, fresh] = ids_.try_emplace(name, static_cast<int>(result_.files.size()));
    if (fresh) {
      const bool generated = !name.empty() && name[0] == '<';
      const bool own = !own_headers_.empty() && name.starts_with(own_headers_);
      result_.files.push_back(name);
      is_students_.push_back(!system && !generated && !own);
    }
    file_ = found->second;
    students_ = is_students_[static_cast<std::size_t>(file_)];
  }

  void emit(TokenKind kind, std::size_t begin, int line, std::size_t line_begin) {
    result_.tokens.push_back({kind, text_.substr(begin, at_ - begin), begin, line,
                              static_cast<int>(begin - line_begin) + 1, file_});
  }

  void next() {
    const char c = peek();
    if (c == '\n') return newline();
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++at_;
      return;
    }
    at_line_start_ = false;
    const std::size_t begin = at_;
    const int line = line_;
    const std::size_t line_begin = line_begin_;
    TokenKind kind = TokenKind::punctuation;
    if (starts_identifier(c)) {
      kind = identifier_or_raw_string();
    } else if (std::isdigit(static_cast<unsigned char>(c)) ||
               (c == '.' && std::isdigit(static_cast<unsigned char>(peek(1))))) {
      kind = TokenKind::number;
      number();
    } else if (c == '"' || c == '\'') {
      kind = TokenKind::literal;
      quoted(c);
    } else if ((c == ':' && peek(1) == ':') || (c == '-' && peek(1) == '>')) {
      at_ += 2;
    } else if (c == '.' && peek(1) == '.' && peek(2) == '.') {
      at_ += 3;
    } else {
      ++at_;
    }
    emit(kind, begin, line, line_begin);
  }

  TokenKind identifier_or_raw_string() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_identifier(text_[at_])) ++at_;
    const std::string_view word = text_.substr(begin, at_ - begin);
    const bool raw = peek() == '"' &&
                     (word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R");
    if (!raw) return TokenKind::identifier;
    const std::size_t open = std::min(text_.find('(', at_), text_.size());
    const std::string closing = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
    const std::size_t found = text_.find(closing, open);
    const std::size_t end = found == std::string_view::npos ? text_.size() : found + closing.size();
    while (at_ < end) advance_over_literal_char();
    return TokenKind::literal;
  }

  void advance_over_literal_char() {
    if (text_[at_] == '\n') {
      newline();
      at_line_start_ = false;
    } else {
      ++at_;
    }
  }

  void number() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      const bool exponent = (c == '+' || c == '-') &&
                            std::string_view("eEpP").find(text_[at_ - 1]) != std::string_view::npos;
      const bool separator = c == '\'' && continues_identifier(peek(1));
      if (!continues_identifier(c) && c != '.' && !exponent && !separator) break;
      ++at_;
    }
  }

  void quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
      at_ += text_[at_] == '\\' && at_ + 1 < text_.size() ? 2 : 1;
    }
    if (peek() == quote) ++at_;
  }

  std::string_view text_;
  std::string_view own_headers_;
  LexedText result_;
  std::map<std::string, int> ids_;
  std::vector<bool> is_students_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  int line_ = 1;
  int file_ = 0;
  bool students_ = false;
  bool at_line_start_ = true;
};

}  // namespace

LexedText lex(std::string_view preprocessed, std::string_view own_headers) {
  return Lexer(preprocessed, own_headers).run();
}

}  // namespace opgrade::emulation
