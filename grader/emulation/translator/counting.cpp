#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

/// True if the declaration of the body that starts at `brace` has one of the words.
bool is_declared(const Source& source, std::size_t brace,
                 std::initializer_list<std::string_view> words) {
  return source.tokens.any_is(source.scopes.statement[brace], brace, words);
}

class Body {
 public:
  /// If !numbers_loops, loops are not numbered: a constexpr function cannot have a Loop.
  Body(Source& source, std::size_t begin, std::size_t end, bool numbers_loops)
      : source_(source),
        tokens_(source.tokens),
        begin_(begin),
        end_(end),
        numbers_loops_(numbers_loops) {}

  void rewrite() {
    join_lines();
    for (std::size_t i = begin_; i < end_; ++i) {
      const Token& t = tokens_[i];
      if (t.is("[")) {  // an index, or a lambda's captures
        i = close(i);
      } else if (among(t, {"sizeof", "alignof", "decltype", "__attribute__", "static_assert",
                           "noexcept", "asm", "__asm__"}) &&
                 tokens_.is(i + 1, "(")) {
        i = close(i + 1);
      } else if (!numbers_loops_ && t.is("for") && tokens_.is(i + 1, "(")) {
        i = close(i + 1);
      } else if (!numbers_loops_ && among(t, {"do", "while"})) {
        continue;
      } else if (t.is("do")) {
        tails_.insert(tail_of(i));
        enclose(i);
      } else if (t.is("while") && tokens_.is(i + 1, "(")) {
        if (!tails_.contains(i)) enclose(i);
        const std::size_t value = declared_value(i + 1);
        const char* const next =
            value == i + 1 ? "opgrade_loop_.next() && (" : "(opgrade_loop_.next(), ";
        source_.edits.insert_after(value, next);
        source_.edits.insert_before(close(i + 1), ")");
      } else if (t.is("for") && tokens_.is(i + 1, "(")) {
        enclose(i, constant_bound(i + 1));
        i = rewrite_header(i + 1);
      } else if (source_.is_uncounted(line_[i - begin_])) {
        continue;
      } else if (among(t, {"+", "-", "*", "/"})) {
        rewrite_operator(i);
      } else if (t.is("=")) {
        rewrite_assignment(i);
      } else if (among(t, {"__hadd", "__hadd2", "__hsub", "__hsub2"}) && takes_product(i + 1)) {
        source_.edits.replace(i, i, std::string(t.text) + "_fused");
      } else if (among(t, {"fma", "fmaf"}) && tokens_.is(i + 1, "(")) {
        rewrite_fma(i);
      }
    }
  }

 private:
  /// Puts each statement on one line, because compilers differ in the line that they give to its
  /// parts.
  void join_lines() {
    line_.push_back(begin_);
    for (std::size_t i = begin_ + 1; i <= end_; ++i) {
      const bool goes_on = i < end_ && !follows_statement(i);
      goes_on ? source_.edits.join(i) : source_.edits.end_join(i);
      line_.push_back(goes_on ? line_.back() : i);
    }
  }

  bool follows_statement(std::size_t i) const {
    if (tokens_.is(i - 1, ":")) return !follows_question(i - 1);
    if (among(tokens_[i - 1], {";", "{", "}", "else", "do"})) return true;
    if (!tokens_.is(i - 1, ")")) return false;
    const std::size_t open = tokens_.open_of(i - 1);
    return open != kNone && open > 0 &&
           among(tokens_[open - 1], {"if", "while", "for", "switch", "constexpr"});
  }

  std::size_t close(std::size_t open) const {
    const std::size_t found = tokens_.close_of(open);
    return found == kNone ? end_ : found;
  }

  void enclose(std::size_t loop, const std::string& constant = "false") {
    source_.edits.insert_before(loop, "for (::opgrade_emulation::Loop opgrade_loop_(" +
                                          std::to_string(loop - begin_) + ", " + constant +
                                          "); opgrade_loop_.once();) ");
  }

  /// An expression that says whether the compiler knows the bound of `for (int i = a; i < bound;
  /// ++i)`.
  std::string constant_bound(std::size_t open) const {
    const std::size_t last = close(open);
    std::size_t i = open + 1;
    std::set<std::string_view> declared;
    for (; i < last && !tokens_.is(i, ";"); ++i) declared.insert(tokens_[i].text);
    if (i + 3 >= last || !tokens_.identifier(i + 1) || !tokens_.is(i + 2, "<")) return "false";
    std::vector<std::size_t> bound;
    for (i += tokens_.is(i + 3, "=") ? 4 : 3; i < last && !tokens_.is(i, ";"); ++i) {
      const Token& t = tokens_[i];
      if (t.kind != TokenKind::number &&
          (declared.contains(t.text) || among(t, {"(", ",", "<", "&", "|"})))
        return "false";
      bound.push_back(i);
    }
    return "__builtin_constant_p(" + tokens_.joined(bound) + ")";
  }

  /// The `while` of a `do`.
  std::size_t tail_of(std::size_t loop) const {
    const std::size_t last =
        tokens_.is(loop + 1, "{") ? close(loop + 1) : tokens_.statement_end(loop + 1);
    return last == kNone ? kNone : last + 1;
  }

  /// Returns the header's last token. Its arithmetic is not counted, because it is seldom the
  /// kernel's work.
  std::size_t rewrite_header(std::size_t open) {
    const std::size_t last = close(open);
    std::size_t semicolons = 0;
    for (std::size_t i = open + 1; i < last; ++i) {
      if (among(tokens_[i], {"(", "[", "{"})) i = close(i);
      if (!tokens_.is(i, ";") || ++semicolons != 2) continue;
      source_.edits.insert_after(
          i, i + 1 == last ? " opgrade_loop_.next()" : " opgrade_loop_.next(), ");
    }
    if (semicolons < 2)  // over a range
      source_.edits.insert_after(last, " if (!opgrade_loop_.next()) {} else ");
    return last;
  }

  /// The `=` of `while (T x = value)`; `open` if nothing is declared.
  std::size_t declared_value(std::size_t open) const {
    const std::size_t last = close(open);
    for (std::size_t i = open + 3; i < last; ++i) {
      if (!tokens_.is(i, "=")) continue;
      const bool declares = tokens_.identifier(i - 1) &&
                            !(tokens_.touches_next(i) && tokens_.is(i + 1, "=")) &&
                            (tokens_.identifier(i - 2) || among(tokens_[i - 2], {"*", "&", ">"})) &&
                            (tokens_.identifier(open + 1));
      return declares ? i : open;
    }
    return open;
  }

  /// The first token of a name such as `space::name`.
  std::size_t name_begin(std::size_t i) const {
    while (i > begin_ && tokens_.is(i - 1, "::")) {
      --i;
      if (i > begin_ && tokens_.identifier(i - 1)) --i;
    }
    return i;
  }

  bool starts_statement(std::size_t i) const {
    if (i == begin_) return true;
    const Token& before = tokens_[i - 1];
    if (before.is("{"))
      return !(i > 1 && (among(tokens_[i - 2], {"=", ",", "(", "{", "]", "return"}) ||
                         tokens_.identifier(i - 2)));
    if (before.is(":")) return !follows_question(i - 1);
    return among(before, {";", "}", "const", "volatile", "static", "typename", "struct", "else"});
  }

  /// True for the `:` of `a ? b : c`.
  bool follows_question(std::size_t colon) const {
    for (std::size_t i = colon; i-- > begin_;) {
      if (among(tokens_[i], {")", "]", "}"})) {
        const std::size_t open = tokens_.open_of(i);
        if (open == kNone || open <= begin_) return false;
        i = open;
      } else if (tokens_.is(i, "?")) {
        return true;
      } else if (among(tokens_[i], {";", "{", "("})) {
        return false;
      }
    }
    return false;
  }

  /// True for `T* p = ` in the brackets of an if, because `a * b = ` would have no meaning there.
  bool declares_pointer(std::size_t star) const {
    std::size_t i = star + 1;
    while (among(tokens_[i], {"*", "&", "const"})) ++i;
    return tokens_.identifier(i) && tokens_.is(i + 1, "=") &&
           !(tokens_.touches_next(i + 1) && tokens_.is(i + 2, "="));
  }

  /// True if the token stands between two operands, unlike a sign, a pointer's `*`, or a part of
  /// `++` or `->`.
  bool is_binary(std::size_t i) const {
    const Token& before = tokens_[i - 1];
    const Token& after = tokens_[i + 1];
    const Token& t = tokens_[i];
    if (tokens_.touches_next(i) && after.is(t.text) && !t.is("*")) return false;
    if (tokens_.touches_next(i - 1) && before.is(t.text) && !t.is("*")) return false;
    if (among(after, {")", ">", ",", ";", "]", "&", "..."}) && !after.is("&")) return false;
    if (before.kind == TokenKind::number) return true;
    if (before.is("]")) return true;
    if (before.is(")")) {
      const std::size_t open = tokens_.open_of(i - 1);
      if (open == kNone || open == 0) return false;
      if (among(tokens_[open - 1], {"if", "while", "for", "switch"})) return false;
      if (tokens_.identifier(open - 1) || among(tokens_[open - 1], {">", "]", ")"})) return true;
      return !is_builtin_type(tokens_[open + 1]);  // else a cast
    }
    if (before.kind != TokenKind::identifier) return false;
    if (among(before, {"return", "case", "else", "do", "operator", "typename", "throw", "goto"}) ||
        is_builtin_type(before))
      return false;
    return !(t.is("*") && (starts_statement(name_begin(i - 1)) || declares_pointer(i)));
  }

  /// True if the parentheses hold one product, which a compiler fuses with a sum outside of them.
  bool holds_product(std::size_t open) const {
    bool product = false;
    for (std::size_t i = open + 1; i < close(open); ++i) {
      if (among(tokens_[i], {"(", "[", "{"})) {
        i = close(i);
      } else if (among(tokens_[i],
                       {";", ",", "+", "-", "?", ":", "<", ">", "=", "&", "|", "^", "/", "%"})) {
        return false;
      } else if (tokens_[i].is("*") && is_binary(i)) {
        if (is_two(i - 1) != is_two(i + 1)) return false;  // a sum
        product = true;
      }
    }
    return product;
  }

  /// True if there is a `*` between `from` and the sum's next term, or the end of the expression.
  bool is_product_after(std::size_t from) const {
    for (std::size_t i = from; i < end_; ++i) {
      const Token& t = tokens_[i];
      if (among(t, {"(", "[", "{"})) {
        if (i == from && t.is("(") && holds_product(i)) return true;
        i = close(i);
        continue;
      }
      if (among(t, {";", ",", ")", "]", "}", "?", ":", "<", ">", "=", "&", "|", "^", "/", "%"}))
        return false;
      if (among(t, {"+", "-"}) && is_binary(i)) return false;
      if (t.is("*") && is_binary(i)) return true;
    }
    return false;
  }

  /// True if the only term before the sum's operator is a product.
  bool is_product_before(std::size_t from) const {
    bool product = false;
    for (std::size_t i = from; i-- > begin_;) {
      const Token& t = tokens_[i];
      if (among(t, {")", "]", "}"})) {
        const std::size_t open = tokens_.open_of(i);
        if (open == kNone || open <= begin_) return false;
        if (i + 1 == from && !tokens_.identifier(open - 1) && holds_product(open)) product = true;
        i = open;
        continue;
      }
      if (among(t, {";", ",", "(", "[", "{", "?", ":", "<", ">", "=", "&", "|", "^", "return"}))
        return product;
      if (among(t, {"/", "%"})) return false;
      if (among(t, {"+", "-"}) && is_binary(i)) return false;
      if (t.is("*") && is_binary(i)) product = true;
    }
    return product;
  }

  void rewrite_operator(std::size_t i) {
    if (i == begin_ || i + 1 >= end_ || !is_binary(i)) return;
    const Token& t = tokens_[i];
    const bool assigns = tokens_.touches_next(i) && tokens_.is(i + 1, "=");
    const bool sum = among(t, {"+", "-"});
    const std::size_t right = assigns ? i + 2 : i + 1;
    const char* kind = t.is("*") ? "multiply" : t.is("/") ? "divide" : "add";
    if (sum && (is_product_after(right) || (!assigns && is_product_before(i)))) kind = "fused";
    // Compilers for GPUs turn 2 x into x + x.
    if (t.is("*") && is_two(i - 1) != is_two(right) && !is_term(i)) kind = "add";
    source_.edits.insert_after(right - 1,
                               counted(kind) + " " + std::string(t.text) + (assigns ? "= " : " "));
  }

  /// Counts a call of the C library's function as one operation.
  void rewrite_fma(std::size_t i) {
    const std::size_t begin = name_begin(i);
    if (among(tokens_[begin - 1], {".", "->"}) ||
        (begin != i && !among(tokens_[begin], {"std", "::"})))
      return;
    source_.edits.insert_before(begin, "(" + counted("fma") + " += ");
    source_.edits.insert_after(close(i + 1), ")");
  }

  static std::string counted(const std::string& kind) {
    return " ::opgrade_emulation::Counted<::opgrade_emulation::Arithmetic::" + kind + ">()";
  }

  /// True if an argument is a product of halves.
  bool takes_product(std::size_t open) const {
    if (!tokens_.is(open, "(")) return false;
    for (std::size_t i = open + 1; i < close(open); ++i) {
      if (among(tokens_[i - 1], {"(", ","}) && among(tokens_[i], {"__hmul", "__hmul2"}))
        return true;
      if (among(tokens_[i], {"(", "[", "{"})) i = close(i);
    }
    return false;
  }

  bool is_two(std::size_t i) const {
    if (tokens_[i].kind != TokenKind::number) return false;
    std::string text(tokens_[i].text);
    if (text.ends_with('f') || text.ends_with('F')) text.pop_back();
    return text.find_first_not_of("2.0") == text.npos && std::strtod(text.c_str(), nullptr) == 2;
  }

  /// True if the product is a term of a sum, which is fused with it.
  bool is_term(std::size_t product) const {
    for (std::size_t i = product + 1; i < end_; ++i) {
      if (among(tokens_[i], {"(", "[", "{"})) {
        i = close(i);
      } else if (among(tokens_[i], {";", ",", ")", "]", "}", "?", ":"})) {
        break;
      } else if (among(tokens_[i], {"+", "-"}) && is_binary(i)) {
        return true;
      }
    }
    for (std::size_t i = product; i-- > begin_;) {
      if (among(tokens_[i], {")", "]", "}"})) {
        const std::size_t open = tokens_.open_of(i);
        if (open == kNone || open <= begin_) return false;
        i = open;
      } else if (among(tokens_[i], {";", ",", "(", "[", "{", "?", ":", "return"})) {
        break;
      } else if (among(tokens_[i], {"+", "-"}) && is_binary(i)) {
        return true;
      }
    }
    return false;
  }

  /// True if the assigned expression calls a function.
  bool assigns_result(std::size_t i) const {
    for (++i; i < end_ && !among(tokens_[i], {";", ",", ")", "}"}); ++i) {
      if (tokens_.is(i, "(") && (tokens_.identifier(i - 1) || tokens_.is(i - 1, ">"))) return true;
      if (among(tokens_[i], {"(", "[", "{"})) {
        const std::size_t last = close(i);
        for (std::size_t j = i + 1; j < last; ++j)
          if (tokens_.is(j, "(") && (tokens_.identifier(j - 1) || tokens_.is(j - 1, ">")))
            return true;
        i = last;
      }
    }
    return false;
  }

  /// Turns the result into a value first, because g++ calls no hook for a store of a function's
  /// result.
  void rewrite_assignment(std::size_t i) {
    if (tokens_.is(i + 1, "{") || (tokens_.touches_next(i) && tokens_.is(i + 1, "="))) return;
    if (!assigns_result(i)) return;
    const std::size_t open = tokens_.is(i - 1, "]") ? tokens_.open_of(i - 1) : kNone;
    if (open != kNone && open > begin_ && among(tokens_[open - 1], {"auto", "&"})) return;
    if (tokens_.touches_next(i - 1) &&
        among(tokens_[i - 1], {"=", "!", "<", ">", "+", "-", "*", "/", "%", "&", "|", "^"}))
      return;
    const bool member = tokens_.identifier(i - 1) && among(tokens_[i - 2], {".", "->"});
    if (member || among(tokens_[i - 1], {"]", ")"}) || tokens_.is(tokens_.statement_begin(i), "*"))
      source_.edits.insert_after(i, " ::opgrade_emulation::Result() += ");
  }

  Source& source_;
  const Cursor& tokens_;
  std::size_t begin_, end_;
  bool numbers_loops_;
  std::set<std::size_t> tails_;
  std::vector<std::size_t> line_;  ///< for each token from begin_: the first token of its statement
};

}  // namespace

void rewrite_counted(Source& source) {
  const Cursor& tokens = source.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.is(i, "{") || i + 1 >= tokens.size() || source.scopes.body[i + 1] != i) continue;
    const std::size_t end = tokens.close_of(i);
    if (end == kNone || !is_declared(source, i, {"__global__", "__device__"})) continue;
    Body(source, i + 1, end, !is_declared(source, i, {"constexpr"})).rewrite();
    i = end;
  }
}

}  // namespace opgrade::emulation
