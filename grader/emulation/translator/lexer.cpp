#include "grader/emulation/translator/lexer.hpp"

#include <cctype>
#include <map>
#include <utility>

#include "grader/base/core/cpp_tokens.hpp"

namespace opgrade::emulation {
namespace {

TokenKind kind_of(std::string_view token) {
  const auto first = static_cast<unsigned char>(token.front());
  if (first == '\'' || token.find('"') != token.npos) return TokenKind::literal;
  if (std::isdigit(first) != 0 || (first == '.' && token.size() > 1 && token[1] != '.'))
    return TokenKind::number;
  const bool named = std::isalpha(first) != 0 || first == '_' || first == '$' || first >= 0x80;
  return named ? TokenKind::identifier : TokenKind::punctuation;
}

class Lexer {
 public:
  Lexer(std::string_view text, std::string_view own_headers)
      : text_(text), own_headers_(own_headers) {}

  LexedText run() {
    CppLexer lexer(text_);
    for (;;) {
      if (!students_) lexer.skip_to_directive();
      const auto token = lexer.next();
      if (!token) return std::move(result_);
      const std::string_view whole = token->in(text_);
      if (whole.size() > 1 && whole.front() == '#')
        directive(whole, token->line);
      else
        add(*token, kind_of(whole));
    }
  }

 private:
  /// A line marker (`# 12 "file" 1 3`) sets the place; a #pragma is skipped.
  void directive(std::string_view whole, int line) {
    std::size_t i = 1;
    while (i < whole.size() && whole[i] == ' ') ++i;
    int number = 0;
    const std::size_t digits = i;
    while (i < whole.size() && std::isdigit(static_cast<unsigned char>(whole[i])) != 0)
      number = number * 10 + (whole[i++] - '0');
    const auto close = whole.rfind('"');
    const bool marker = i > digits && i + 1 < whole.size() && whole[i + 1] == '"';
    if (!marker || close <= i + 1) return;
    const std::string name(whole.substr(i + 2, close - i - 2));
    enter(name, whole.substr(close + 1).find('3') != whole.npos);
    lines_before_ = number - line - 1;
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

  void add(const CppToken& token, TokenKind kind) {
    if (kind != TokenKind::punctuation) return emit(kind, token.begin, token.size, token.line);
    for (std::size_t at = std::max(token.begin, joined_end_); at < token.begin + token.size;) {
      const std::string_view rest = text_.substr(at);
      const bool is_pair = rest.starts_with("::") || rest.starts_with("->");
      const std::size_t size = rest.starts_with("...") ? 3 : is_pair ? 2 : 1;
      emit(kind, at, size, token.line);
      joined_end_ = at += size;
    }
  }

  void emit(TokenKind kind, std::size_t begin, std::size_t size, int line) {
    if (line != line_) {
      line_ = line;
      line_begin_ = text_.rfind('\n', begin) + 1;  // npos + 1 is the start
    }
    result_.tokens.push_back({kind, text_.substr(begin, size), begin, lines_before_ + line,
                              static_cast<int>(begin - line_begin_) + 1, file_});
  }

  const std::string_view text_;
  const std::string_view own_headers_;
  LexedText result_;
  std::map<std::string, int> ids_;
  std::vector<bool> is_students_;
  std::size_t joined_end_ = 0;  ///< end of the last sign that may be a part of several tokens
  int line_ = 0;                ///< line of the last token, in the preprocessed text
  std::size_t line_begin_ = 0;
  int lines_before_ = 0;  ///< lines of the file before the first line of the preprocessed text
  int file_ = 0;
  bool students_ = false;
};

}  // namespace

LexedText lex(std::string_view preprocessed, std::string_view own_headers) {
  return Lexer(preprocessed, own_headers).run();
}

}  // namespace opgrade::emulation
