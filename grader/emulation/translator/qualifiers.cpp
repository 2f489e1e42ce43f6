#include "grader/emulation/translator/passes.hpp"
#include "grader/emulation/translator/ptx.hpp"

namespace opgrade::emulation {
namespace {

bool statement_has_inline(const Source& source, std::size_t i) {
  for (std::size_t k = source.scopes.statement[i]; k < source.tokens.size(); ++k) {
    if (among(source.tokens[k], {"inline", "__inline__", "__inline"})) return true;
    if (k < i && source.tokens.is(k, "__forceinline__")) return true;
    if (among(source.tokens[k], {"(", ";", "{"})) break;
  }
  return false;
}

/// A compiler barrier: no instruction, whatever its operands.
bool is_empty_asm(const Cursor& tokens, std::size_t open) {
  return tokens.is(open + 1, "\"\"") &&
         (tokens.is(open + 2, ":") || tokens.is(open + 2, "::") || tokens.is(open + 2, ")"));
}

/// asm volatile("..." : ..); -> a call that stops the kernel when it gets there.
std::size_t rewrite_asm(Source& source, std::size_t i) {
  const Cursor& tokens = source.tokens;
  std::size_t open = i + 1;
  while (among(tokens[open], {"volatile", "__volatile__", "__volatile", "inline", "goto"})) ++open;
  const std::size_t close = tokens.is(open, "(") ? tokens.close_of(open) : kNone;
  if (close == kNone || source.scopes.scope[i] != Scope::function) return i;
  if (is_empty_asm(tokens, open)) {
    source.edits.replace(i, close, "asm volatile(\"\" ::: \"memory\")");
    return close;
  }
  if (auto calls = emulated_ptx(source, open, close)) {
    source.edits.replace(i, close, *std::move(calls));
    return close;
  }
  source.remark(Remark::Kind::warning, i,
                "not emulated: inline PTX at line " + std::to_string(tokens[i].line) +
                    "; the kernel stops if it gets here");
  source.edits.replace(i, close, "::opgrade_emulation::inline_ptx(" + source.place(i) + ")");
  return close;
}

}  // namespace

void rewrite_words(Source& source) {
  const Cursor& tokens = source.tokens;
  Edits& edits = source.edits;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.identifier(i)) continue;
    const Token& t = tokens[i];
    if (among(t, {"asm", "__asm__", "__asm"})) {
      i = rewrite_asm(source, i);
      continue;
    }
    if (!t.text.starts_with("__")) continue;
    const bool in_attribute = i > 0 && (tokens.is(i - 1, "(") || tokens.is(i - 1, ","));
    if (among(t,
              {"__host__", "__device__", "__global__", "__shared__", "__constant__", "__managed__",
               "__grid_constant__", "__device_builtin__", "__cudart_builtin__"})) {
      edits.blank(i, i);
    } else if (among(t,
                     {"__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__block_size__"}) &&
               tokens.is(i + 1, "(") && tokens.close_of(i + 1) != kNone) {
      edits.blank(i, tokens.close_of(i + 1));
      i = tokens.close_of(i + 1);
    } else if (t.is("__forceinline__")) {
      edits.replace(i, i,
                    statement_has_inline(source, i) ? "__attribute__((always_inline))"
                                                    : "inline __attribute__((always_inline))");
    } else if (t.is("__noinline__") && !in_attribute) {
      edits.replace(i, i, "__attribute__((noinline))");
    } else if (among(t, {"__align__", "__builtin_align__"}) && tokens.is(i + 1, "(") &&
               tokens.close_of(i + 1) != kNone) {
      edits.replace(i, i, "__attribute__((aligned");
      edits.insert_after(tokens.close_of(i + 1), "))");
    }
  }
}

}  // namespace opgrade::emulation
