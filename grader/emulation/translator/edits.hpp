/// Edits on preprocessed text that leave every remaining token at its line and column.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grader/emulation/translator/lexer.hpp"

namespace opgrade::emulation {

class Edits {
 public:
  Edits(std::string_view text, const LexedText& lexed) : text_(text), lexed_(lexed) {}

  /// Puts `what` before the token; compiler messages about the token keep its place.
  void insert_before(std::size_t token, std::string what);
  /// Puts `what` after the token.
  void insert_after(std::size_t token, std::string what);
  /// As insert_after, but behind everything else that is inserted there.
  void late_insert_after(std::size_t token, std::string what);
  /// Takes tokens [first, last] out; line ends and line markers between them stay.
  void blank(std::size_t first, std::size_t last);
  /// Replaces tokens [first, last].
  void replace(std::size_t first, std::size_t last, std::string what);

  /// Puts the token into the line of the one before it, unless a directive stands between them.
  void join(std::size_t token);
  /// The token has its own line again.
  void end_join(std::size_t token);

  /// The text of tokens [first, last] with a line marker before it. Messages about it then name its
  /// own line even where it is moved.
  std::string quote(std::size_t first, std::size_t last) const;
  /// A line marker and the blanks that put what follows at the token's line and column.
  std::string marker(std::size_t token) const;

  std::string apply();

 private:
  struct Edit {
    std::size_t offset;
    std::size_t length;
    std::string text;
    std::size_t order;
    bool moves;  ///< what follows on the line loses its column
  };
  std::string blanked(std::size_t begin, std::size_t end) const;
  /// The first token at or after `offset`, if it is on the same line.
  const Token* next_on_line(std::size_t offset) const;

  std::string_view text_;
  const LexedText& lexed_;
  std::vector<Edit> edits_;
  std::map<std::size_t, int> joined_;  ///< lines of tokens that were moved
};

}  // namespace opgrade::emulation
