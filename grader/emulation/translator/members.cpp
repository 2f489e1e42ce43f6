#include "grader/emulation/translator/members.hpp"

#include <algorithm>

namespace opgrade::emulation {
namespace {

bool opens(const Token& t) { return among(t, {"(", "[", "{"}); }

/// A declaration of a class, tokens [begin, end), without its `;` or its function's body.
class Member {
 public:
  Member(const Cursor& tokens, std::size_t begin, std::size_t end, bool has_body)
      : tokens_(tokens), begin_(begin), end_(end), has_body_(has_body) {}

  bool changes_objects() const {
    // A virtual function gives objects a pointer to a table, and changes the order of the table.
    if (tokens_.any_is(begin_, end_, {"virtual"})) return true;
    if (begin_ >= end_ || has_body_) return false;
    for (std::size_t i = begin_; i < end_; i = next(i)) {
      const Token& t = tokens_[i];
      if (t.is("=") || t.is("{") || t.is("(")) break;
      if (among(t, {"static", "using", "typedef", "friend", "static_assert", "template", "operator",
                    "~", "explicit"}))
        return false;
    }
    return is_type() ? declares_object_of_type() : !is_function();
  }

 private:
  /// The token behind `i`, or behind the brackets that `i` opens.
  std::size_t next(std::size_t i) const {
    std::size_t close = i;
    if (opens(tokens_[i])) close = tokens_.close_of(i);
    if (tokens_.is(i, "<") && tokens_.close_angle(i) < end_) close = tokens_.close_angle(i);
    return close == kNone ? end_ : close + 1;
  }

  /// True if the declaration begins with `struct`, `class`, `union` or `enum`.
  bool is_type() const { return among(tokens_[begin_], {"struct", "class", "union", "enum"}); }

  /// True for `struct { int a; }` or `struct S { int a; } s`, but not for `struct S { int a; }` and
  /// `struct S`.
  bool declares_object_of_type() const {
    bool is_named = false;
    std::size_t i = begin_ + 1;
    for (; i < end_ && !tokens_.is(i, "{"); i = next(i)) {
      if (tokens_.is(i, ":")) return ends_behind_braces(i);
      // `struct S s`, and `struct S s()`
      if (is_named && tokens_.identifier(i) && !tokens_.is(i, "final") && !tokens_.is(i - 1, "::"))
        return !is_function();
      if (tokens_.identifier(i) && !among(tokens_[i], {"alignas", "__align__", "__attribute__"}))
        is_named =
            is_named || !tokens_.is(begin_, "enum") || !among(tokens_[i], {"class", "struct"});
      if (among(tokens_[i], {"*", "&"})) return !is_function();
    }
    if (i >= end_) return false;
    return next(i) < end_ || (!is_named && !tokens_.is(begin_, "enum"));
  }

  /// Skips the bases of a class, or the type below an enumeration, from token i on.
  bool ends_behind_braces(std::size_t i) const {
    while (i < end_ && !tokens_.is(i, "{")) i = next(i);
    return i < end_ && next(i) < end_;
  }

  bool is_function() const {
    for (std::size_t i = begin_; i < end_; i = next(i)) {
      if (among(tokens_[i], {"=", "{", ":"})) return false;
      if (!tokens_.is(i, "(") || i == begin_ || takes_brackets(tokens_[i - 1])) continue;
      return !is_pointer(i);
    }
    return false;
  }

  static bool takes_brackets(const Token& before) {
    return among(before, {"alignas", "__align__", "__attribute__", "decltype", "noexcept",
                          "__launch_bounds__", "typeof", "__typeof__"});
  }

  /// True for `(*f)(int)` or `(S::*f)(int)`, which are variables, unlike `(*f(int))[4]`.
  bool is_pointer(std::size_t open) const {
    std::size_t i = open + 1;
    while (tokens_.identifier(i) && tokens_.is(i + 1, "::")) i += 2;
    if (!among(tokens_[i], {"*", "&"})) return false;
    while (among(tokens_[i], {"*", "&", "const"})) ++i;
    return !tokens_.is(i + 1, "(");
  }

  const Cursor& tokens_;
  const std::size_t begin_, end_;
  const bool has_body_;
};

}  // namespace

bool change_objects(const Cursor& tokens, const ScopeMap& scopes, std::size_t begin,
                    std::size_t end) {
  std::size_t first = scopes.statement[begin];
  for (std::size_t i = first; i < tokens.size() && first < end; ++i) {
    const bool is_end = tokens.is(i, ";") || tokens.is(i, "}");
    const bool is_body = scopes.opens_body[i];
    if (is_end || is_body) {
      if (Member(tokens, first, i, is_body).changes_objects()) return true;
      if (is_body) i = tokens.close_of(i);
      if (i == kNone) return false;
      first = i + 1;
    } else if (tokens.is(i, ":") && i > first &&
               among(tokens[i - 1], {"public", "protected", "private"})) {
      first = i + 1;
    } else if (opens(tokens[i])) {
      if (tokens.close_of(i) == kNone) return false;
      i = tokens.close_of(i);
    }
  }
  return false;
}

}  // namespace opgrade::emulation
