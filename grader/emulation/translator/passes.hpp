/// The rewriting passes; each looks for one thing and adds its edits.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "grader/emulation/translator/lexer.hpp"
#include "grader/emulation/translator/translate.hpp"

namespace opgrade::emulation {

inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Walks over brackets and template arguments in a row of tokens. A student's text may end
/// anywhere: outside of the row each token is an empty one, which is no bracket and part of no
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
  /// One of tokens [begin, end) is one of the words.
  bool any_is(std::size_t begin, std::size_t end,
              std::initializer_list<std::string_view> words) const {
    for (std::size_t i = begin; i < std::min(end, size()); ++i)
      if (among(tokens_[i], words)) return true;
    return false;
  }
  bool identifier(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::identifier;
  }
  /// Token i+1 follows token i without a blank between.
  bool touches_next(std::size_t i) const {
    return i + 1 < tokens_.size() && tokens_[i].end() == tokens_[i + 1].offset;
  }

  /// The text of these tokens in one line. Operators of several characters, such as `<<`, are
  /// several tokens here, so tokens that touch in the source touch in the result.
  std::string joined(const std::vector<std::size_t>& tokens) const {
    return joined(tokens, [](std::size_t) { return std::string_view(); });
  }
  /// With `prefix(i)` before token i.
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
  /// such bracket: then a `;`, `{` or an unmatched closing bracket comes first. Shifts and
  /// comparisons between them are no brackets.
  std::size_t close_angle(std::size_t open) const { return at(partner_, open); }
  std::size_t open_angle(std::size_t close) const { return at(partner_, close); }

  /// Index of the first token of the statement or declaration that token i is part of.
  std::size_t statement_begin(std::size_t i) const { return at(statement_begin_, i); }
  /// Index of the `;` that ends it, or kNone.
  std::size_t statement_end(std::size_t i) const { return at(statement_end_, i); }

 private:
  static constexpr Token kOutside{TokenKind::punctuation, {}, 0, 1, 1, 0};

  static std::size_t at(const std::vector<std::size_t>& of_tokens, std::size_t i) {
    return i < of_tokens.size() ? of_tokens[i] : kNone;
  }
  /// The token and the one after it, or before it, are one operator: `<<`, `<=`, `>=`.
  bool starts_pair(std::size_t i, std::string_view second) const {
    return touches_next(i) && is(i + 1, second);
  }
  /// This `<` opens template arguments rather than comparing or shifting.
  bool opens_angle(std::size_t i) const;
  void find_statements();

  const std::vector<Token>& tokens_;
  std::vector<std::size_t> partner_;  ///< of each bracket, angles included
  std::vector<std::size_t> statement_begin_, statement_end_;
};

/// Edits on preprocessed text that leave every remaining token at its line and column.
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

/// For every token, whether it stands at namespace scope, in a class or in a function's body.
enum class Scope { name_space, type, function, initializer };

struct ScopeMap {
  std::vector<Scope> scope;       ///< of each token
  std::vector<std::size_t> body;  ///< index of the `{` of its outermost function body, or kNone
  std::vector<std::size_t> statement;  ///< first token of its declaration; meant outside functions
  std::vector<bool> opens_body;        ///< it is the `{` of a function's outermost body
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
  /// Bytes of the __shared__ variables of the kernel whose name the token is; 0 if not known.
  std::size_t declared_shared(std::size_t token) const;
  void remark(Remark::Kind kind, std::size_t token, std::string text);
};

/// `__global__ void k(..) { body }` becomes a function whose call, under a launch configuration,
/// runs the body once a thread.
void rewrite_kernels(Source& source);
/// `k<..><<<grid, block, ..>>>(args)` becomes `(Configuration(grid, block, ..), k<..>(args))`.
void rewrite_launches(Source& source);
/// `__shared__` declarations become references into the block's shared memory.
void rewrite_shared(Source& source);
/// `__constant__` and `__device__` variables become registered globals.
void rewrite_device_variables(Source& source);
/// Host code has its own copy of a `__device__` or `__constant__` variable, and its own address of
/// a function.
void rewrite_host_side(Source& source);
/// A device function that reaches its end without its result returns one that nobody chose.
void rewrite_missing_results(Source& source);
/// malloc, free, new and delete in device functions use the device's heap.
void rewrite_heap(Source& source);
/// Loops and arithmetic of device code call counting.hpp.
void rewrite_counted(Source& source);
/// The remaining CUDA words: taken out or replaced by attributes; inline PTX by a stop.
void rewrite_words(Source& source);

}  // namespace opgrade::emulation
