#include "grader/emulation/translator/declaration.hpp"
#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

std::string registrations(const Source& source, const Declaration& declaration, const char* kind) {
  std::string all;
  for (const std::size_t name : declaration.names) {
    const std::string id(source.tokens[name].text);
    all += " static ::opgrade_emulation::Symbol opgrade_symbol_" + id + "{(const void*)&" + id +
           ", sizeof(" + id + "), \"" + id + "\", ::opgrade_emulation::SymbolKind::" + kind +
           ", \"" + source.lexed.files.front() + "\", " + source.place(name) + "};";
    if (source.options.check)
      all += " static char opgrade_gap_" + id + "[64] __attribute__((used));";
  }
  return all;
}

bool any_is(const Cursor& tokens, std::size_t begin, std::size_t end,
            std::initializer_list<std::string_view> words) {
  for (std::size_t k = begin; k < end; ++k)
    for (const std::string_view word : words)
      if (tokens.is(k, word)) return true;
  return false;
}

/// A static variable of a kernel or another function for the device, from its `static` at token i
/// on: the last token, or i. Constants are read where they are.
std::size_t register_local(Source& source, std::size_t i) {
  const Cursor& tokens = source.tokens;
  const std::size_t body = source.scopes.body[i];
  if (body == kNone ||
      !any_is(tokens, source.scopes.statement[body], body, {"__global__", "__device__"}))
    return i;
  const std::size_t begin = tokens.statement_begin(i), end = tokens.statement_end(i);
  if (end == kNone || any_is(tokens, begin, end, {"const", "constexpr", "__shared__"})) return i;
  // A type that is defined here has braces before the name.
  for (std::size_t k = begin; k < end && !tokens.is(k, "="); ++k)
    if (tokens.is(k, "{") && any_is(tokens, begin, k, {"struct", "class", "union", "enum"}))
      return i;
  const Declaration declaration = read_declaration(tokens, begin, end);
  if (declaration.is_function || declaration.names.empty()) return i;
  source.edits.insert_after(end, registrations(source, declaration, "device"));
  return end;
}

}  // namespace

void rewrite_device_variables(Source& source) {
  const Cursor& tokens = source.tokens;
  std::size_t done_until = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (source.scopes.scope[i] == Scope::function && tokens.is(i, "static")) {
      i = register_local(source, i);
      continue;
    }
    if (i < done_until ||
        !any_is(tokens, i, i + 1, {"__constant__", "__managed__", "__device__"}) ||
        source.scopes.scope[i] != Scope::name_space)
      continue;
    const std::size_t begin = source.scopes.statement[i];
    const std::size_t end = tokens.statement_end(i);
    if (end == kNone) continue;
    const Declaration declaration = read_declaration(tokens, begin, end);
    if (declaration.is_function || declaration.names.empty() || declaration.is_template) continue;
    done_until = end;
    if (declaration.external) continue;  // registered where it is defined
    // As under nvcc without -rdc, every file has its own variable of that name.
    if (!declaration.is_static) source.edits.insert_before(begin, "static ");
    const char* const kind = any_is(tokens, begin, end, {"__constant__"})  ? "constant"
                             : any_is(tokens, begin, end, {"__managed__"}) ? "managed"
                                                                           : "device";
    source.edits.insert_after(end, registrations(source, declaration, kind));
  }
}

}  // namespace opgrade::emulation
