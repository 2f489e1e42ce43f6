/// Walks over brackets and template arguments in a row of tokens.
#pragma once

#include "grader/emulation/translator/lexer.hpp"

namespace opgrade::emulation {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

class Cursor {
 public:
  explicit Cursor(const std::vector<Token>& tokens) : tokens_(tokens) {}

  std::size_t size() const { return tokens_.size(); }
  const Token& operator[](std::size_t i) const { return tokens_[i]; }
  bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text;
  }
  bool identifier(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::identifier;
  }
  /// Token i+1 follows token i without a blank between.
  bool touches_next(std::size_t i) const {
    return i + 1 < tokens_.size() && tokens_[i].end() == tokens_[i + 1].offset;
  }

  /// Index of the bracket that closes the one at `open`, or kNone.
  std::size_t close_of(std::size_t open) const;
  /// Index of the bracket that opens the one closed at `close`, or kNone.
  std::size_t open_of(std::size_t close) const;
  /// Index of the `>` that closes the template arguments opened at `open`. kNone where this `<` is
  /// no such bracket. Then a `;`, `{` or an unmatched closing bracket comes first.
  std::size_t close_angle(std::size_t open) const;
  std::size_t open_angle(std::size_t close) const;

  /// Index of the first token of the statement or declaration that token i is part of.
  std::size_t statement_begin(std::size_t i) const;
  /// Index of the `;` that ends it, or kNone.
  std::size_t statement_end(std::size_t i) const;

 private:
  const std::vector<Token>& tokens_;
};

}  // namespace opgrade::emulation
