// The pass for __shared__ declarations, and the one for other variables of the device.
#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

struct Declaration {
  std::vector<std::size_t> names;  ///< tokens of the declared names; empty: not understood
  std::vector<std::size_t> kept;   ///< all tokens except storage words, alignment and initialisers
  bool external = false;
  bool is_static = false;  ///< true if static, inline or constexpr was written
  bool is_template = false;
  bool is_function = false;
  const Cursor* tokens = nullptr;

  std::string with_names(const std::string& prefix) const {
    return tokens->joined(kept, [&](std::size_t i) -> std::string_view {
      const bool name = std::find(names.begin(), names.end(), i) != names.end();
      return name ? std::string_view(prefix) : std::string_view();
    });
  }
};

bool is_storage(const Token& t) {
  return among(t, {"extern", "static", "inline", "constexpr", "__shared__", "__constant__",
                   "__device__", "__managed__", "__host__", "thread_local"});
}

bool is_alignment(const Token& t) {
  return among(t, {"__align__", "alignas", "__attribute__", "__builtin_align__"});
}

/// The `}` of a type that is defined at token i, `union {` or `struct Tile : Base {`; kNone if none
/// is defined there.
std::size_t end_of_definition(const Cursor& tokens, std::size_t i, std::size_t end) {
  if (!among(tokens[i], {"struct", "union", "class", "enum"})) return kNone;
  while (i < end && !among(tokens[i], {"{", ",", "(", "[", "="})) ++i;
  return i < end && tokens.is(i, "{") ? tokens.close_of(i) : kNone;
}

/// True if an initialiser's value begins at token i, and no parameter.
bool begins_value(const Cursor& tokens, std::size_t i) {
  return tokens[i].kind == TokenKind::literal || tokens[i].kind == TokenKind::number ||
         among(tokens[i], {"(", "-", "+", "!", "~", "true", "false", "nullptr", "sizeof"});
}

/// The first token behind `alignas(16)` and `[[maybe_unused]]`, which stand before `static`.
std::size_t behind_attributes(const Cursor& tokens, std::size_t i) {
  for (;;) {
    const bool aligned = tokens.is(i, "alignas") && tokens.is(i + 1, "(");
    const std::size_t open = aligned ? i + 1 : i;
    if (!aligned && !(tokens.is(i, "[") && tokens.is(i + 1, "["))) return i;
    if (tokens.close_of(open) == kNone) return i;
    i = tokens.close_of(open) + 1;
  }
}

/// Reads the declaration of tokens [begin, end); `end` is its `;`.
Declaration read_declaration(const Cursor& tokens, std::size_t begin, std::size_t end) {
  Declaration out;
  out.tokens = &tokens;
  std::size_t candidate = kNone;  // the last identifier of the declarator so far
  bool named = false;
  bool in_initialiser = false;
  for (std::size_t i = begin; i < end; ++i) {
    const Token& t = tokens[i];
    if (t.is("template")) out.is_template = true;
    if (t.is("extern")) out.external = true;
    if (among(t, {"static", "inline", "constexpr"})) out.is_static = true;
    if (is_storage(t)) continue;
    if (const std::size_t close = end_of_definition(tokens, i, end); close != kNone) {
      for (; i <= close; ++i) out.kept.push_back(i);
      i = close;
      continue;
    }
    if (is_alignment(t) && tokens.is(i + 1, "(")) {
      i = tokens.close_of(i + 1);
      continue;
    }
    if (t.is(",")) {
      if (!named && candidate != kNone) out.names.push_back(candidate);
      candidate = kNone;
      named = in_initialiser = false;
    } else if (t.is("=") || t.is("{")) {
      if (!named && candidate != kNone) out.names.push_back(candidate);
      named = in_initialiser = true;
    } else if (t.is("[") && candidate != kNone) {  // before a name, `[` begins an attribute
      if (!named) out.names.push_back(candidate);
      named = true;
    } else if (t.is("(") && !in_initialiser && !named && among(tokens[i + 1], {"*", "&"})) {
      // A pointer to a function or to an array, unless it is a function that returns one.
      std::size_t name = i + 2;
      while (name < end && among(tokens[name], {"*", "&", "const"})) ++name;
      out.is_function = !tokens.identifier(name) || tokens.is(name + 1, "(");
      if (out.is_function) return out;
      out.names.push_back(name);
      named = true;
    } else if (t.is("(") && !in_initialiser && !named &&
               !(i > begin && among(tokens[i - 1], {"decltype", "typeof", "__typeof__"}))) {
      out.is_function = candidate == kNone || !begins_value(tokens, i + 1);
      if (out.is_function) return out;
      out.names.push_back(candidate);  // `int count(0)`
      named = in_initialiser = true;
    } else if (tokens.identifier(i) && !named) {
      candidate = i;
    }
    std::size_t last = i;
    if (t.is("(") || t.is("[") || t.is("{")) last = tokens.close_of(i);
    if (t.is("<") && i > begin && tokens.identifier(i - 1) && !named) {
      const std::size_t close = tokens.close_angle(i);
      if (close != kNone && close < end) last = close;
    }
    if (last == kNone || last >= end) return {};
    for (; i <= last; ++i) {
      if (!in_initialiser) out.kept.push_back(i);
    }
    i = last;
  }
  if (!named && candidate != kNone) out.names.push_back(candidate);
  return out;
}

/// Words before a name that are no type.
bool is_no_type(const Token& t) {
  return among(t, {"return", "throw", "delete", "case", "else", "do", "goto", "sizeof", "new",
                   "and", "or", "not", "co_return", "co_yield"});
}

/// Longer types and declarations are not read, because a row of names would be read anew at
/// each name.
constexpr std::size_t kLongest = 400;

/// The first token of the type that ends at token i, as in `const std::array<float, 4>`; kNone if
/// none does.
std::size_t type_begin(const Cursor& tokens, std::size_t i) {
  std::size_t begin = kNone;
  for (std::size_t steps = 0; steps < kLongest; ++steps) {
    const bool closed = tokens.is(i, ">") && tokens.open_angle(i) != kNone;
    if (closed) i = tokens.open_angle(i) - 1;  // a template's name is before its `<`
    if (!tokens.identifier(i) || is_no_type(tokens[i])) return begin;
    begin = i;
    if (i == 0) return begin;
    --i;
    if (tokens.is(i, "::")) {
      begin = i;
      if (i == 0 || !(tokens.identifier(i - 1) || tokens.is(i - 1, ">"))) return begin;
      --i;
    }
  }
  return kNone;
}

/// True if the `{` at token i begins a block, not a list of values.
bool begins_block(const Cursor& tokens, std::size_t i) {
  if (i == 0 || among(tokens[i - 1], {"else", "do", "try", "const", "noexcept", "mutable"}))
    return true;
  if (tokens.is(i - 1, "]")) {  // `[&] {`, or `float s[2] {`
    const std::size_t open = tokens.open_of(i - 1);
    return open != kNone && !(open > 0 && tokens.identifier(open - 1));
  }
  if (tokens.identifier(i - 1))
    return i > 1 && among(tokens[i - 2], {"->", "struct", "class", "union", "namespace"});
  return !among(tokens[i - 1], {"=", "(", ",", ">"});
}

/// True if a statement can begin behind token i: not in the middle of a `for`, and not behind a
/// `:`, which may be that of a choice.
bool ends_statement(const Cursor& tokens, std::size_t i) {
  if (tokens.is(i, "{")) return begins_block(tokens, i);
  if (tokens.is(i, "}")) return true;
  if (!tokens.is(i, ";")) return false;
  // A `;` in parentheses is one of a `for`; then no bracket opens before its `(`.
  for (std::size_t steps = 0; i > 0 && steps < kLongest; ++steps) {
    --i;
    if (among(tokens[i], {"{", "}"})) return true;
    if (among(tokens[i], {"(", "["})) return false;
    if (among(tokens[i], {")", "]"})) {
      if (tokens.open_of(i) == kNone) return true;
      i = tokens.open_of(i);
    }
  }
  return true;
}

/// True if `=` at token i is no part of `==`.
bool is_assignment(const Cursor& tokens, std::size_t i) {
  return tokens.is(i, "=") && !(tokens.touches_next(i) && tokens.is(i + 1, "="));
}

/// True for the first name that a statement, a condition or a parameter declares, as in
/// `float* s`, `for (int s = 16;` or `float (*s)[8]`. In a statement `a * s;` is a declaration.
bool is_first_declared_at(const Cursor& tokens, std::size_t i) {
  if (i == 0 ||
      !(is_assignment(tokens, i + 1) || among(tokens[i + 1], {";", ",", "[", "{", "(", ":", ")"})))
    return false;
  std::size_t last = i - 1;  // of the type
  bool points = false;
  for (; last > 0 &&
         among(tokens[last], {"*", "&", "const", "volatile", "__restrict__", "__restrict"});
       --last)
    points = points || among(tokens[last], {"*", "&"});
  if (points && tokens.is(last, "(") && tokens.is(i + 1, ")") && last > 0)  // float (*s)[8]
    return among(tokens[i + 2], {"[", "("}) &&
           (is_builtin_type(tokens[last - 1]) || tokens.is(last - 1, ">"));
  const std::size_t begin = type_begin(tokens, last);
  if (begin == kNone) return false;
  // Two words in a row are always a type and a name; `a * s` and `a < b > s` may be values.
  if (!points && tokens.identifier(last)) return true;
  if (begin == 0) return true;
  if (ends_statement(tokens, begin - 1))
    return !among(tokens[i + 1], {")", ":"}) && !(points && tokens.is(i + 1, "("));
  const bool in_condition = tokens.is(begin - 1, "(") && begin > 1 &&
                            among(tokens[begin - 2], {"for", "if", "while", "switch"});
  return in_condition && (is_assignment(tokens, i + 1) || tokens.is(i + 1, ":"));
}

/// True for each name that a statement declares, also for `s` in `float sum = 0, *s = x;`.
bool is_declared_at(const Cursor& tokens, std::size_t i) {
  if (is_first_declared_at(tokens, i)) return true;
  std::size_t comma = i;
  while (comma > 0 && among(tokens[comma - 1], {"*", "&", "const", "__restrict__"})) --comma;
  if (comma == 0 || !tokens.is(comma - 1, ",")) return false;
  // The statement's own commas are those that no bracket has around it.
  std::size_t begin = tokens.statement_begin(i);
  while (begin != kNone && begin > 0 && i - begin < kLongest && tokens.is(begin, ",") &&
         tokens.is(begin - 1, "}") && tokens.open_of(begin - 1) != kNone)  // `float a{1}, s;`
    begin = tokens.statement_begin(tokens.open_of(begin - 1));
  if (begin == kNone || i - begin > kLongest || (begin > 0 && !ends_statement(tokens, begin - 1)))
    return false;
  bool declares = false;
  for (std::size_t k = begin; k < i; ++k) {
    if (tokens.identifier(k) && !declares) declares = is_first_declared_at(tokens, k);
    std::size_t close = kNone;
    if (among(tokens[k], {"(", "[", "{"})) close = tokens.close_of(k);
    if (tokens.is(k, "<")) close = tokens.close_angle(k);
    if (close == kNone) continue;
    if (close > i) return false;
    k = close;
  }
  return declares;
}

bool is_member(const Cursor& tokens, std::size_t i) {
  return i > 0 && among(tokens[i - 1], {".", "->", "::"});
}

/// True if one of tokens [begin, end) is the name.
bool has_name(const Cursor& tokens, std::size_t begin, std::size_t end, std::string_view name) {
  for (std::size_t i = begin; i < end; ++i)
    if (tokens.identifier(i) && tokens[i].text == name) return true;
  return false;
}

/// True if one of the lambda's or class's tokens [begin, open) captures or declares the name as a
/// parameter: `[s = 1]`, `[&s]`, `(float* s)`.
bool takes_name(const Cursor& tokens, std::size_t begin, std::size_t open, std::string_view name) {
  const std::size_t captures = tokens.is(begin, "[") ? tokens.close_of(begin) : begin;
  for (std::size_t i = begin; i < open; ++i) {
    if (!tokens.identifier(i) || tokens[i].text != name || is_member(tokens, i)) continue;
    if (i > captures) {
      const std::size_t last = i - 1;
      const bool behind_type = tokens.identifier(last) || among(tokens[last], {"*", "&", ">"});
      if (behind_type && (is_assignment(tokens, i + 1) || among(tokens[i + 1], {",", ")", "["})))
        return true;
      continue;
    }
    const std::size_t before = tokens.is(i - 1, "&") ? i - 2 : i - 1;
    if (among(tokens[before], {"[", ","}) &&
        (is_assignment(tokens, i + 1) || among(tokens[i + 1], {",", "]", "{", "("})))
      return true;
  }
  return false;
}

/// The `{` of a lambda or of a local class that begins at token i; kNone if none does.
std::size_t nested_body(const Cursor& tokens, std::size_t i, std::size_t end) {
  if (const std::size_t close = end_of_definition(tokens, i, end); close != kNone)
    return tokens.open_of(close);
  if (!tokens.is(i, "[") || tokens.is(i + 1, "[")) return kNone;
  const bool is_index = i > 0 && (among(tokens[i - 1], {")", "]", "["}) ||
                                  (tokens.identifier(i - 1) && !tokens.is(i - 1, "return")));
  std::size_t k = tokens.close_of(i);
  if (is_index || k == kNone) return kNone;
  for (++k; k < end && !tokens.is(k, "{"); ++k) {
    if (among(tokens[k], {";", ",", ")", "]", "}"})) return kNone;
    if (!tokens.is(k, "(")) continue;
    k = tokens.close_of(k);
    if (k == kNone) return kNone;
  }
  return k < end ? k : kNone;
}

/// In lambdas and local classes of the block after token i, uses of the variable get its storage
/// itself: a reference is captured, and a capture by value copies what it refers to, but a
/// `__shared__` variable has static storage.
void use_storage_in_nested(Source& source, std::size_t i, std::string_view name,
                           const std::string& storage) {
  const Cursor& tokens = source.tokens;
  for (++i; i < tokens.size() && !tokens.is(i, "}"); ++i) {
    // Blocks are entered, so that the end of this one is found.
    if (tokens.is(i, "{") && tokens.close_of(i) != kNone) {
      const std::size_t close = tokens.close_of(i);
      use_storage_in_nested(source, i, name, storage);
      i = close;
      continue;
    }
    // Another variable of this name, to the end of its block.
    if (tokens[i].text == name && is_declared_at(tokens, i)) return;
    const std::size_t open = nested_body(tokens, i, tokens.size());
    if (open == kNone) continue;
    const std::size_t close = tokens.close_of(open);
    if (close == kNone) return;
    const bool is_class = !tokens.is(i, "[");
    const auto declares = [&](std::size_t k) {
      return tokens[k].text == name && is_declared_at(tokens, k);
    };
    const bool has_member =
        is_class && std::ranges::any_of(std::views::iota(open, close), declares);
    if (!has_member && !takes_name(tokens, i, open, name))
      // Also in the default of a parameter, but not in a capture's value, which is outside.
      for (std::size_t k = is_class ? open : tokens.close_of(i); k < close; ++k) {
        if (!tokens.identifier(k) || tokens[k].text != name || is_member(tokens, k)) continue;
        if (is_declared_at(tokens, k)) break;
        source.edits.replace(k, k, storage);
      }
    i = close;
  }
}

/// The variable's storage in the block that runs.
std::string storage_of(const std::string& id, bool external) {
  return "(*(opgrade_t_" + id + "*)" +
         (external ? "::opgrade_emulation::dynamic_shared()" : "opgrade_s_" + id + ".address()") +
         ")";
}

std::string reference_to(const std::string& id, bool external) {
  return " opgrade_t_" + id + "& " + id + " = " + storage_of(id, external) + ";";
}

/// typedef T opgrade_t_s[16][16]; static SharedSlot opgrade_s_s{...};
std::string slots_of(const Source& source, const Declaration& declaration) {
  std::string out = " typedef " + declaration.with_names("opgrade_t_") + ";";
  if (declaration.external) return out;
  for (const std::size_t name : declaration.names) {
    const std::string id(source.tokens[name].text), type = "opgrade_t_" + id;
    out += " static ::opgrade_emulation::SharedSlot opgrade_s_" + id +
           " __attribute__((unused)){\"" + id + "\", " + source.place(name) + ", sizeof(" + type +
           "), alignof(" + type + ")};";
  }
  return out;
}

/// True if host code has a variable of this name that the device has, too.
bool is_used_by_host(const Source& source, std::string_view name) {
  const auto names_it = [&](const NamePlace& place) { return std::get<2>(place) == name; };
  return std::ranges::any_of(source.options.facts.host_uses, names_it) ||
         std::ranges::any_of(source.options.facts.both_uses, names_it);
}

std::string registrations(const Source& source, const Declaration& declaration, const char* kind) {
  std::string all;
  for (const std::size_t name : declaration.names) {
    const std::string id(source.tokens[name].text);
    all += " static ::opgrade_emulation::Symbol opgrade_symbol_" + id + "{(const void*)&" + id +
           ", sizeof(" + id + "), \"" + id + "\", ::opgrade_emulation::SymbolKind::" + kind +
           ", \"" + source.lexed.files.front() + "\", " + source.place(name) + "};";
    if (std::string_view(kind) != "managed" && is_used_by_host(source, id))
      // Storage alone: the host's copy has no constructor to run.
      all += " static char opgrade_raw_" + id + "[sizeof(" + id + ")] __attribute__((aligned(" +
             "__alignof__(" + id + ")))); static __typeof__(" + id + ")& opgrade_host_" + id +
             " = *(__typeof__(" + id + ")*)opgrade_raw_" + id +
             "; static ::opgrade_emulation::HostCopy opgrade_copy_" + id + "{opgrade_raw_" + id +
             ", (const void*)&" + id + ", sizeof(" + id + ")};";
    if (source.options.check)
      all += " static char opgrade_gap_" + id + "[64] __attribute__((used));";
  }
  return all;
}

/// Registers a static variable of a kernel or a device function, whose `static` is token i. Returns
/// the last token of the declaration, or i if it registers nothing. Constants are read where they
/// are.
std::size_t register_local(Source& source, std::size_t i) {
  const Cursor& tokens = source.tokens;
  const std::size_t body = source.scopes.body[i];
  if (body == kNone ||
      !tokens.any_is(source.scopes.statement[body], body, {"__global__", "__device__"}))
    return i;
  const std::size_t begin = tokens.statement_begin(i), end = tokens.statement_end(i);
  if (end == kNone || tokens.any_is(begin, end, {"const", "constexpr", "__shared__"})) return i;
  // A type that is defined here has braces before the variable's name.
  for (std::size_t k = begin; k < end && !tokens.is(k, "="); ++k)
    if (tokens.is(k, "{") && tokens.any_is(begin, k, {"struct", "class", "union", "enum"}))
      return i;
  const Declaration declaration = read_declaration(tokens, begin, end);
  if (declaration.is_function || declaration.names.empty()) return i;
  source.edits.insert_after(end, registrations(source, declaration, "device"));
  return end;
}

}  // namespace

namespace {

/// The uses in functions of the `__shared__` variables at file scope.
class FileScopeUses {
 public:
  explicit FileScopeUses(Source& source) : source_(source), tokens_(source.tokens) {}

  void declare(std::string_view name, bool external) { variables_[name] = external; }
  /// A function has a `__shared__` variable of its own with this name.
  void hide(std::size_t body, std::string_view name) { hidden_.insert({body, name}); }

  /// Call this for each token, in order.
  void meet(std::size_t i) {
    follow_brackets(i);
    if (variables_.empty() || source_.scopes.scope[i] != Scope::function || !tokens_.identifier(i))
      return;
    const auto known = variables_.find(tokens_[i].text);
    const std::size_t body = source_.scopes.body[i];
    if (known == variables_.end() || body == kNone || is_member(tokens_, i)) return;
    const std::pair key{body, tokens_[i].text};
    if (inserted_.contains(key)) return;
    if (!hidden_.contains(key) && is_declared_at(tokens_, i)) {
      // In an inner block of a device function the language itself hides the outer variable.
      if (is_outermost(body) || !is_device(body, i)) hidden_.insert(key);
      return;
    }
    if (!hidden_.contains(key) && hides(body, tokens_[i].text)) hidden_.insert(key);
    if (hidden_.contains(key)) return;
    const std::string id(tokens_[i].text);
    const std::string storage = storage_of(id, known->second);
    if (!is_device(body, i)) {
      // Host code may ask for its size and type. No definition is needed for that.
      if (!is_unevaluated(i)) return;
      inserted_.insert(key);
      source_.edits.late_insert_after(body, " extern opgrade_t_" + id + " " + id + ";");
      return;
    }
    inserted_.insert(key);
    source_.edits.late_insert_after(body, reference_to(id, known->second));
    use_storage_in_nested(source_, body, id, storage);
  }

 private:
  void follow_brackets(std::size_t i) {
    if (among(tokens_[i], {"(", "[", "{"})) open_.push_back(i);
    if (among(tokens_[i], {")", "]", "}"}) && !open_.empty()) open_.pop_back();
  }

  /// True if the token is in no inner block and in no loop's or condition's header.
  bool is_outermost(std::size_t body) const {
    for (auto open = open_.rbegin(); open != open_.rend(); ++open) {
      if (tokens_.is(*open, "{")) return *open == body;
      if (*open > 0 && among(tokens_[*open - 1], {"for", "if", "while", "switch"})) return false;
    }
    return false;
  }

  /// True if the function is one of the device, or has a lambda of the device before token i.
  bool is_device(std::size_t body, std::size_t i) {
    std::size_t& looked =
        looked_until_.try_emplace(body, source_.scopes.statement[body]).first->second;
    if (looked == kNone) return true;
    const bool found = tokens_.any_is(looked, i, {"__global__", "__device__"});
    looked = found ? kNone : i;
    return found;
  }

  bool is_unevaluated(std::size_t i) const {
    const auto asks = [&](std::size_t k) {
      return among(tokens_[k], {"sizeof", "alignof", "decltype", "__typeof__"});
    };
    return i > 1 && (asks(i - 1) || (tokens_.is(i - 1, "(") && asks(i - 2)));
  }

  /// True if the name is a parameter of the function or a variable of its class.
  bool hides(std::size_t body, std::string_view name) {
    const std::size_t head = source_.scopes.statement[body];
    if (has_name(tokens_, head, body, name)) return true;
    const auto at = std::ranges::find(open_, body);
    if (source_.scopes.scope[head] != Scope::type || at == open_.begin() || at == open_.end())
      return false;
    const std::size_t open = *(at - 1);
    const auto [found, is_new] = of_classes_.insert({{open, name}, false});
    const std::size_t close = tokens_.close_of(open);
    if (!is_new || close == kNone) return found->second;
    for (std::size_t i = open; i < close && !found->second; ++i)
      found->second = tokens_[i].text == name && source_.scopes.scope[i] == Scope::type &&
                      is_declared_at(tokens_, i);
    return found->second;
  }

  Source& source_;
  const Cursor& tokens_;
  using NameIn = std::pair<std::size_t, std::string_view>;  ///< of the `{` of a function or class
  std::map<std::string_view, bool> variables_;              ///< whether it is external
  std::set<NameIn> hidden_;            ///< function bodies in which the name is another variable
  std::set<NameIn> inserted_;          ///< function bodies that have a reference to the variable
  std::map<NameIn, bool> of_classes_;  ///< whether the class has a member of this name
  /// Of each function body: where to look on for a word of the device; kNone: it has one.
  std::map<std::size_t, std::size_t> looked_until_;
  std::vector<std::size_t> open_;  ///< brackets around the token
};

}  // namespace

void rewrite_shared(Source& source) {
  const Cursor& tokens = source.tokens;
  FileScopeUses uses(source);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    uses.meet(i);
    if (!tokens.is(i, "__shared__")) continue;
    const bool in_function = source.scopes.scope[i] == Scope::function;
    const std::size_t begin = in_function ? tokens.statement_begin(i) : source.scopes.statement[i];
    const std::size_t end = tokens.statement_end(i);
    if (end == kNone) continue;
    const Declaration declaration = read_declaration(tokens, begin, end);
    if (declaration.names.empty()) {
      source.remark(Remark::Kind::not_emulated, i, "this __shared__ declaration");
      continue;
    }
    std::string slots = slots_of(source, declaration);
    for (const std::size_t name : declaration.names) {
      const std::string id(tokens[name].text);
      if (!in_function) {
        uses.declare(tokens[name].text, declaration.external);
        continue;
      }
      slots += reference_to(id, declaration.external);
      uses.hide(source.scopes.body[i], tokens[name].text);
      use_storage_in_nested(source, end, id, storage_of(id, declaration.external));
    }
    source.edits.replace(begin, end, std::move(slots));
    i = end;
  }
}

void rewrite_device_variables(Source& source) {
  const Cursor& tokens = source.tokens;
  std::size_t done_until = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (source.scopes.scope[i] == Scope::function && tokens.is(i, "static")) {
      i = register_local(source, i);
      continue;
    }
    if (i < done_until || !among(tokens[i], {"__constant__", "__managed__", "__device__"}) ||
        source.scopes.scope[i] != Scope::name_space)
      continue;
    const std::size_t begin = source.scopes.statement[i];
    const std::size_t end = tokens.statement_end(i);
    if (end == kNone) continue;
    const Declaration declaration = read_declaration(tokens, begin, end);
    if (declaration.is_function || declaration.names.empty() || declaration.is_template) continue;
    done_until = end;
    if (declaration.external) continue;  // registered where the variable is defined
    // Like nvcc without -rdc, gives every file its own variable of that name.
    if (!declaration.is_static)
      source.edits.insert_before(behind_attributes(tokens, begin), "static ");
    const char* const kind = tokens.any_is(begin, end, {"__constant__"})  ? "constant"
                             : tokens.any_is(begin, end, {"__managed__"}) ? "managed"
                                                                          : "device";
    source.edits.insert_after(end, registrations(source, declaration, kind));
  }
}

}  // namespace opgrade::emulation
