// The pass for __shared__ declarations, and the one for other variables of the device.
#include <algorithm>
#include <map>
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
         among(tokens[i], {"-", "+", "!", "~", "true", "false", "nullptr", "sizeof"});
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

/// True for the name that a statement declares, as in `float* s` or `volatile T s[2]`: only words
/// and signs of a type are before it.
bool is_declared_at(const Cursor& tokens, std::size_t i) {
  const std::size_t begin = tokens.statement_begin(i);
  if (begin == kNone || begin >= i || tokens.is(begin + 1, ",")) return false;
  for (std::size_t k = begin; k < i; ++k) {
    const bool of_type = tokens.identifier(k)
                             ? !among(tokens[k], {"return", "throw", "delete", "case", "else", "do",
                                                  "goto", "sizeof", "new"})
                             : among(tokens[k], {"::", ":", "<", ">", "*", "&", ","});
    if (!of_type) return false;
  }
  return true;
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
    if (!has_name(tokens, i, open, name))  // else a parameter or a capture of this name
      for (std::size_t k = open; k < close; ++k) {
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

void rewrite_shared(Source& source) {
  const Cursor& tokens = source.tokens;
  std::set<std::pair<std::size_t, std::string_view>> hidden;    // function bodies with such a local
  std::map<std::string_view, bool> at_file_scope;               // name -> whether it is external
  std::set<std::pair<std::size_t, std::string_view>> inserted;  // references, in function bodies
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool in_function = source.scopes.scope[i] == Scope::function;
    if (in_function && tokens.identifier(i) && !at_file_scope.empty()) {
      const auto known = at_file_scope.find(tokens[i].text);
      const std::size_t body = source.scopes.body[i];
      if (known != at_file_scope.end() && body != kNone && !is_member(tokens, i)) {
        const std::size_t head = source.scopes.statement[body];
        const std::pair key{body, tokens[i].text};
        // A parameter, a local variable, or a function of the host with a name of its own.
        if (has_name(tokens, head, body, tokens[i].text) || is_declared_at(tokens, i) ||
            !tokens.any_is(head, i, {"__global__", "__device__"}))
          hidden.insert(key);
        if (!hidden.contains(key) && inserted.insert(key).second) {
          const std::string id(tokens[i].text);
          source.edits.late_insert_after(body, reference_to(id, known->second));
          use_storage_in_nested(source, body, id, storage_of(id, known->second));
        }
      }
    }
    if (!tokens.is(i, "__shared__")) continue;
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
        at_file_scope[tokens[name].text] = declaration.external;
        continue;
      }
      slots += reference_to(id, declaration.external);
      hidden.insert({source.scopes.body[i], tokens[name].text});
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
