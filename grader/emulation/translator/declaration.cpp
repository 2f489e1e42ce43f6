#include "grader/emulation/translator/declaration.hpp"

#include <algorithm>

namespace opgrade::emulation {
namespace {

bool is_word(const Token& t, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), t.text) != words.end();
}

bool is_storage(const Token& t) {
  return is_word(t, {"extern", "static", "inline", "constexpr", "__shared__", "__constant__",
                     "__device__", "__managed__", "__host__", "thread_local"});
}

bool is_alignment(const Token& t) {
  return is_word(t, {"__align__", "alignas", "__attribute__", "__builtin_align__"});
}

}  // namespace

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
    if (is_word(t, {"static", "inline", "constexpr"})) out.is_static = true;
    if (is_storage(t)) continue;
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
    } else if (t.is("[")) {
      if (!named && candidate != kNone) out.names.push_back(candidate);
      named = true;
    } else if (t.is("(") && !in_initialiser && !named) {
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

std::string Declaration::with_names(const std::string& prefix) const {
  std::string out;
  for (const std::size_t i : kept) {
    const bool name = std::find(names.begin(), names.end(), i) != names.end();
    if (!out.empty()) out += ' ';
    if (name) out += prefix;
    out += (*tokens)[i].text;
  }
  return out;
}

}  // namespace opgrade::emulation
