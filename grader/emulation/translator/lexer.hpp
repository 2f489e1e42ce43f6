/// Splits preprocessed C++ into tokens, and keeps for each token its place in the student's own
/// file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade::emulation {

enum class TokenKind { identifier, number, literal, punctuation };

/// Views into the text given to lex(). Only `::`, `->` and `...` are joined; `<<<` stays three
/// tokens, because only its neighbours tell whether it is a launch.
struct Token {
  TokenKind kind;
  std::string_view text;
  std::size_t offset;  ///< in the preprocessed text
  int line;            ///< 1-based, in files[file]
  int column;          ///< 1-based, in the preprocessed line
  int file;

  bool is(std::string_view wanted) const { return text == wanted; }
  std::size_t end() const { return offset + text.size(); }
};

inline bool among(const Token& t, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, t.text) != words.end();
}

inline bool is_builtin_type(const Token& t) {
  return among(t, {"float", "double", "int", "unsigned", "signed", "char", "short", "long", "bool",
                   "const", "volatile", "void", "auto", "size_t"});
}

struct LexedText {
  std::vector<Token> tokens;
  std::vector<std::string> files;  ///< as the line markers spell them, escapes kept
};

/// Returns the tokens of the student's files in the output of `g++ -E`. Skips the text of system
/// headers, and of files whose names start with `own_headers`. The flag of a file's first line
/// marker says whether the file is a system header. An expansion of a system macro inside a
/// student's file has that flag too, but is still the student's text.
LexedText lex(std::string_view preprocessed, std::string_view own_headers);

}  // namespace opgrade::emulation
