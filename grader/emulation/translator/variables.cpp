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
      out.is_function = true;
      return out;
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

/// typedef T opgrade_t_s[16][16]; opgrade_t_s& s = <the block's storage>;
std::string as_references(const Source& source, const Declaration& declaration, bool external) {
  std::string out = " typedef " + declaration.with_names("opgrade_t_") + ";";
  for (const std::size_t name : declaration.names) {
    const std::string id(source.tokens[name].text);
    const std::string type = "opgrade_t_" + id;
    if (external) {
      out += " " + type + "& " + id + " = *(" + type + "*)::opgrade_emulation::dynamic_shared();";
    } else {
      const std::string slot = "opgrade_s_" + id;
      out += " static ::opgrade_emulation::SharedSlot " + slot + "{\"" + id + "\", " +
             source.place(name) + ", sizeof(" + type + "), alignof(" + type + ")}; " + type + "& " +
             id + " = *(" + type + "*)" + slot + ".address();";
    }
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
      all += " static __typeof__(" + id + ") opgrade_host_" + id +
             "; static ::opgrade_emulation::HostCopy opgrade_copy_" + id + "{&opgrade_host_" + id +
             ", &" + id + ", sizeof(" + id + ")};";
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
  std::map<std::string, std::string> at_file_scope;  // name -> local declaration
  std::set<std::pair<std::string, std::size_t>>
      inserted;  // declarations, which may have several names
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool in_function = source.scopes.scope[i] == Scope::function;
    if (in_function && tokens.identifier(i) && !at_file_scope.empty()) {
      const auto known = at_file_scope.find(std::string(tokens[i].text));
      const bool member =
          i > 0 && (tokens.is(i - 1, ".") || tokens.is(i - 1, "->") || tokens.is(i - 1, "::"));
      const std::size_t body = source.scopes.body[i];
      if (known != at_file_scope.end() && !member && inserted.insert({known->second, body}).second)
        source.edits.late_insert_after(body, known->second);
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
    std::string local = as_references(source, declaration, declaration.external);
    if (in_function) {
      source.edits.replace(begin, end, std::move(local));
    } else {
      for (const std::size_t name : declaration.names)
        at_file_scope[std::string(tokens[name].text)] = local;
      source.edits.blank(begin, end);
    }
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
    if (!declaration.is_static) source.edits.insert_before(begin, "static ");
    const char* const kind = tokens.any_is(begin, end, {"__constant__"})  ? "constant"
                             : tokens.any_is(begin, end, {"__managed__"}) ? "managed"
                                                                          : "device";
    source.edits.insert_after(end, registrations(source, declaration, kind));
  }
}

}  // namespace opgrade::emulation
