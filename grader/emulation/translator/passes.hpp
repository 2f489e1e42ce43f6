/// The rewriting passes. Each looks for one construct and adds its edits.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grader/emulation/translator/lexer.hpp"
#include "grader/emulation/translator/translate.hpp"

namespace opgrade::emulation {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Finds brackets, template arguments and statements in a list of tokens. A student's text may end
/// anywhere: tokens outside of the list count as empty ones, which are no brackets and part of no
/// statement.
class Cursor {
 public:
  explicit Cursor(const std::vector<Token>& tokens);

  std::size_t size() const { return tokens_.size(); }
  const Token& operator[](std::size_t i) const {
    return i < tokens_.size() ? tokens_[i] : kOutside;
  }
  bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].text == text;
  }
  /// True if one of tokens [begin, end) is one of the words.
  bool any_is(std::size_t begin, std::size_t end,
              std::initializer_list<std::string_view> words) const {
    for (std::size_t i = begin; i < std::min(end, size()); ++i)
      if (among(tokens_[i], words)) return true;
    return false;
  }
  bool identifier(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::identifier;
  }
  /// True if token i+1 follows token i without a blank.
  bool touches_next(std::size_t i) const {
    return i + 1 < tokens_.size() && tokens_[i].end() == tokens_[i + 1].offset;
  }

  /// The text of these tokens in one line. Tokens that touch in the source touch in the result,
  /// because operators of several characters, such as `<<`, are several tokens here.
  std::string joined(const std::vector<std::size_t>& tokens) const {
    return joined(tokens, [](std::size_t) { return std::string_view(); });
  }
  /// Like joined() above, with `prefix(i)` before token i.
  template <class Prefix>
  std::string joined(const std::vector<std::size_t>& tokens, Prefix prefix) const {
    std::string out;
    std::size_t before = kNone;
    for (const std::size_t i : tokens) {
      if (before != kNone && !(before + 1 == i && touches_next(before))) out += ' ';
      out += prefix(i);
      out += (*this)[i].text;
      before = i;
    }
    return out;
  }

  /// Index of the bracket that closes the one at `open`, or kNone.
  std::size_t close_of(std::size_t open) const { return at(partner_, open); }
  /// Index of the bracket that opens the one closed at `close`, or kNone.
  std::size_t open_of(std::size_t close) const { return at(partner_, close); }
  /// Index of the `>` that closes the template arguments opened at `open`. kNone if this `<` is no
  /// such bracket, because a `;`, `{` or an unmatched closing bracket comes first. Shifts and
  /// comparisons inside are no brackets.
  std::size_t close_angle(std::size_t open) const { return at(partner_, open); }
  std::size_t open_angle(std::size_t close) const { return at(partner_, close); }

  /// Index of the first token of the statement or declaration that token i is part of.
  std::size_t statement_begin(std::size_t i) const { return at(statement_begin_, i); }
  /// Index of the `;` that ends the statement of token i, or kNone.
  std::size_t statement_end(std::size_t i) const { return at(statement_end_, i); }

 private:
  static constexpr Token kOutside{TokenKind::punctuation, {}, 0, 1, 1, 0};

  static std::size_t at(const std::vector<std::size_t>& of_tokens, std::size_t i) {
    return i < of_tokens.size() ? of_tokens[i] : kNone;
  }
  /// True if the token and the next one are one operator: `<<`, `<=`, `>=`.
  bool starts_pair(std::size_t i, std::string_view second) const {
    return touches_next(i) && is(i + 1, second);
  }
  /// True if this `<` opens template arguments rather than comparing or shifting.
  bool opens_angle(std::size_t i) const;
  void find_statements();

  const std::vector<Token>& tokens_;
  std::vector<std::size_t> partner_;  ///< partner of each bracket, angles included
  std::vector<std::size_t> statement_begin_, statement_end_;
};

/// Edits of preprocessed text that keep every remaining token at its line and column.
class Edits {
 public:
  Edits(std::string_view text, const LexedText& lexed) : text_(text), lexed_(lexed) {}

  /// Inserts `what` before the token; compiler messages about the token keep its place.
  void insert_before(std::size_t token, std::string what);
  /// Inserts `what` after the token.
  void insert_after(std::size_t token, std::string what);
  /// Like insert_after, but behind everything else that is inserted there.
  void late_insert_after(std::size_t token, std::string what);
  /// Removes tokens [first, last]; line ends and line markers between them stay.
  void blank(std::size_t first, std::size_t last);
  /// Replaces tokens [first, last].
  void replace(std::size_t first, std::size_t last, std::string what);

  /// Moves the token to the line of the one before it, unless a directive stands between them.
  void join(std::size_t token);
  /// Puts the token back on its own line.
  void end_join(std::size_t token);

  /// The text of tokens [first, last] behind a line marker, so that messages about it name its own
  /// line even if it is moved.
  std::string quote(std::size_t first, std::size_t last) const;
  /// A line marker and blanks that put the following text at the token's line and column.
  std::string marker(std::size_t token) const;

  std::string apply();

 private:
  struct Edit {
    std::size_t offset;
    std::size_t length;
    std::string text;
    std::size_t order;
    bool moves;  ///< the rest of the line loses its column
  };
  std::string blanked(std::size_t begin, std::size_t end) const;
  /// The first token at or after `offset`, if it is on the same line.
  const Token* next_on_line(std::size_t offset) const;

  std::string_view text_;
  const LexedText& lexed_;
  std::vector<Edit> edits_;
  std::map<std::size_t, int> joined_;  ///< lines of the tokens that were moved
};

/// For every token: whether it is at namespace scope, in a class or in a function's body.
enum class Scope { name_space, type, function, initializer };

struct ScopeMap {
  std::vector<Scope> scope;       ///< of each token
  std::vector<std::size_t> body;  ///< index of the `{` of its outermost function body, or kNone
  std::vector<std::size_t> statement;  ///< first token of its declaration; valid outside functions
  std::vector<bool> opens_body;        ///< the token is the `{` of a function's outermost body
};

ScopeMap map_scopes(const Cursor& tokens);

struct Source {
  const LexedText& lexed;
  Cursor tokens;
  ScopeMap scopes;
  Edits edits;
  std::vector<Remark> remarks;
  const TranslateOptions& options;

  /// `"file", line` of a token, as two arguments of a call.
  std::string place(std::size_t token) const;
  bool is_uncounted(std::size_t token) const;
  NamePlace name_place(std::size_t token) const;
  /// Bytes of the __shared__ variables of the kernel that the token names; 0 if unknown.
  std::size_t declared_shared(std::size_t token) const;
  void remark(Remark::Kind kind, std::size_t token, std::string text);
};

/// `__global__ void k(..) { body }` becomes a function whose call, under a launch configuration,
/// runs the body once a thread.
void rewrite_kernels(Source& source);
/// `k<..><<<grid, block, ..>>>(args)` becomes `(Configuration(grid, block, ..), k<..>(args))`.
void rewrite_launches(Source& source);
/// Turns `__shared__` declarations into references to the block's shared memory.
void rewrite_shared(Source& source);
/// Turns `__constant__` and `__device__` variables into registered globals.
void rewrite_device_variables(Source& source);
/// Gives host code its own copy of a `__device__` or `__constant__` variable, and its own address
/// of a function.
void rewrite_host_side(Source& source);
/// Gives a device function that reaches its end without its result an arbitrary one.
void rewrite_missing_results(Source& source);
/// Makes malloc, free, new and delete in device functions use the device's heap.
void rewrite_heap(Source& source);
/// Makes loops and arithmetic of device code call counting.hpp.
void rewrite_counted(Source& source);
/// Removes the remaining CUDA words or replaces them by attributes; replaces inline PTX that is not
/// emulated by a stop.
void rewrite_words(Source& source);

}  // namespace opgrade::emulation
