#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

/// True if token i stands in a function that is declared __device__ or __global__.
bool in_device_function(const Source& source, std::size_t i) {
  const std::size_t body = source.scopes.body[i];
  return source.scopes.scope[i] == Scope::function && body != kNone &&
         source.tokens.any_is(source.scopes.statement[body], body, {"__device__", "__global__"});
}

}  // namespace

void rewrite_heap(Source& source) {
  const Cursor& tokens = source.tokens;
  Edits& edits = source.edits;
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens.identifier(i) || !in_device_function(source, i)) continue;
    const bool member = tokens.is(i - 1, ".") || tokens.is(i - 1, "->");
    if ((tokens.is(i, "malloc") || tokens.is(i, "free")) && tokens.is(i + 1, "(") && !member) {
      const bool global = tokens.is(i - 1, "::");
      const bool standard = global && i > 1 && tokens.is(i - 2, "std");
      if (global && !standard && i > 1 && tokens.identifier(i - 2)) continue;  // of another class
      edits.replace(standard ? i - 2
                    : global ? i - 1
                             : i,
                    i,
                    tokens.is(i, "malloc") ? " ::opgrade_emulation::heap_malloc"
                                           : " ::opgrade_emulation::heap_free");
    } else if (tokens.is(i, "new") && !tokens.is(i - 1, "operator") && !tokens.is(i + 1, "(")) {
      edits.replace(i, i, "new (::opgrade_emulation::DeviceHeap())");
    } else if (tokens.is(i, "delete") && !tokens.is(i - 1, "operator") && !tokens.is(i - 1, "=")) {
      // The operand of `=` ends where that of `delete` ends: at the end of the expression.
      const bool array = tokens.is(i + 1, "[") && tokens.is(i + 2, "]");
      edits.replace(
          i, array ? i + 2 : i,
          array ? " ::opgrade_emulation::HeapArray() =" : " ::opgrade_emulation::HeapObject() =");
    }
  }
}

}  // namespace opgrade::emulation
