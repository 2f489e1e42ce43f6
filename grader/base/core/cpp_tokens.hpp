/// The tokens of a C++ or CUDA source, without the compiler's help.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace opgrade {

struct CppToken {
  std::size_t begin = 0, size = 0;  ///< in the text
  int line = 1;

  std::string_view in(std::string_view text) const { return text.substr(begin, size); }
};

/// A string or a character, with its quotes. A quote that is not closed ends with its line.
struct Quoted {
  std::size_t size = 0;
  bool is_closed = false;
};
/// `text` begins with the quote.
Quoted quoted_at(std::string_view text);

/// Returns token by token, in time linear in the text. Comments are skipped; a directive, a string
/// and a character are one token each.
class CppLexer {
 public:
  enum class Directives { tokens, none };  ///< none: '#' is an ordinary sign

  /// `text` must outlive it.
  explicit CppLexer(std::string_view text, Directives directives = Directives::tokens)
      : text_(text), first_of_line_(directives == Directives::tokens), directives_(directives) {}

  /// nullopt at the end of the text.
  std::optional<CppToken> next();

  /// Skips whole lines, without reading their tokens, up to the next line that begins with '#'.
  void skip_to_directive();

 private:
  bool skip();
  CppToken take();
  void move_to(std::size_t end);
  std::size_t size_of_token() const;
  std::size_t end_of_line() const;
  std::size_t directive_size() const;
  std::size_t raw_string_end() const;
  std::size_t word_size(bool number) const;
  bool starts(std::string_view with) const { return text_.substr(at_).starts_with(with); }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool first_of_line_;
  Directives directives_;
};

std::vector<CppToken> cpp_tokens(std::string_view text);

}  // namespace opgrade
