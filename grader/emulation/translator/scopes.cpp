#include <algorithm>

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

/// The kind of scope that the `{` at `brace` opens, by the declaration from `begin` to it.
Scope opened_by(const Cursor& tokens, std::size_t begin, std::size_t brace) {
  bool has_parentheses = false;
  bool has_type_word = false;
  // Longer declarations are ignored, because a row of braces would be read anew at each brace.
  constexpr std::size_t kLongest = 1000;
  begin = std::max(begin, brace - std::min(brace, kLongest));
  for (std::size_t i = begin; i < brace; ++i) {
    const Token& t = tokens[i];
    if (t.is("namespace")) return Scope::name_space;
    if (t.is("operator")) {  // its name may have a `=`
      while (i + 1 < brace && !tokens.is(i + 1, "(")) ++i;
      if (tokens.is(i + 2, ")") && tokens.is(i + 3, "(")) i += 2;
      continue;
    }
    if (t.is("=")) return Scope::initializer;
    if (t.is("(")) {  // skips the `=` of a default argument
      has_parentheses = true;
      const std::size_t close = tokens.close_of(i);
      if (close != kNone && close < brace) i = close;
    }
    if (t.is("class") || t.is("struct") || t.is("union") || t.is("enum")) has_type_word = true;
    if (t.is("template") && tokens.is(i + 1, "<")) {
      const std::size_t close = tokens.close_angle(i + 1);
      if (close != kNone && close < brace) i = close;
    }
  }
  if (!has_parentheses && tokens.is(begin, "extern")) return Scope::name_space;
  const bool after_parameters =
      brace > begin && (tokens.is(brace - 1, ")") || tokens.is(brace - 1, "const") ||
                        tokens.is(brace - 1, "noexcept") || tokens.is(brace - 1, "override"));
  if (has_type_word && !after_parameters) return Scope::type;
  return has_parentheses ? Scope::function : Scope::initializer;
}

bool is_access_label(const Cursor& tokens, std::size_t colon) {
  return tokens.is(colon, ":") && colon > 0 &&
         (tokens.is(colon - 1, "public") || tokens.is(colon - 1, "private") ||
          tokens.is(colon - 1, "protected"));
}

}  // namespace

ScopeMap map_scopes(const Cursor& tokens) {
  ScopeMap map;
  struct Open {
    Scope scope;
    std::size_t body;
  };
  std::vector<Open> stack{{Scope::name_space, kNone}};
  std::size_t begin = 0;
  int parentheses = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& t = tokens[i];
    if (t.is("}") && stack.size() > 1) {
      const bool ends_declaration = stack.back().scope != Scope::initializer;
      stack.pop_back();
      if (ends_declaration) begin = i + 1;
    }
    map.scope.push_back(stack.back().scope);
    map.body.push_back(stack.back().body);
    map.statement.push_back(begin);
    map.opens_body.push_back(false);
    if (t.is("(")) ++parentheses;
    if (t.is(")")) --parentheses;
    if (t.is("{")) {
      const Scope outer = stack.back().scope;
      const bool inner = outer == Scope::function || outer == Scope::initializer || parentheses > 0;
      const Scope scope = inner ? outer : opened_by(tokens, begin, i);
      std::size_t body = stack.back().body;
      const bool opens_body = scope == Scope::function && body == kNone;
      if (opens_body) body = i;
      map.opens_body.back() = opens_body;
      stack.push_back({parentheses > 0 && !inner ? Scope::initializer : scope, body});
      if (scope != Scope::initializer) begin = i + 1;
    }
    if ((t.is(";") && parentheses == 0) || is_access_label(tokens, i)) begin = i + 1;
  }
  return map;
}

}  // namespace opgrade::emulation
