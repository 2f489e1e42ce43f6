// Gives host code its own meaning of a variable or function that the device has, too.
#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

/// First token of the qualified name that ends with token i: `course::detail::f`.
std::size_t qualified_begin(const Cursor& tokens, std::size_t i) {
  while (i > 0 && tokens.is(i - 1, "::")) {
    const bool named = i > 1 && tokens.identifier(i - 2) && !tokens.is(i - 2, "return");
    i -= named ? 2 : 1;
    if (!named) break;
  }
  return i;
}

/// True for the name in `decltype(name)`. The host's copy is a reference, and so of another type.
bool is_type_of(const Cursor& tokens, std::size_t i) {
  const std::size_t begin = qualified_begin(tokens, i);
  return begin > 1 && tokens.is(begin - 1, "(") && tokens.is(i + 1, ")") &&
         among(tokens[begin - 2], {"decltype", "typeof", "__typeof__"});
}

std::string text_of(const Cursor& tokens, std::size_t first, std::size_t last) {
  std::string text;
  for (std::size_t i = first; i <= last; ++i) text += tokens[i].text;
  return text;
}

}  // namespace

void rewrite_host_side(Source& source) {
  const Facts& facts = source.options.facts;
  if (facts.host_uses.empty() && facts.both_uses.empty() && facts.taken_addresses.empty()) return;
  const Cursor& tokens = source.tokens;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.identifier(i) || source.scopes.scope[i] == Scope::name_space ||
        source.scopes.scope[i] == Scope::type ||
        (i > 0 && (tokens.is(i - 1, ".") || tokens.is(i - 1, "->"))) || is_type_of(tokens, i))
      continue;
    const NamePlace place = source.name_place(i);
    const std::string name(tokens[i].text);
    if (facts.host_uses.contains(place)) {
      source.edits.replace(i, i, "opgrade_host_" + name);
    } else if (facts.both_uses.contains(place)) {
      const std::size_t begin = qualified_begin(tokens, i);
      const std::string whole = text_of(tokens, begin, i);
      const std::string scope = whole.substr(0, whole.size() - name.size());
      source.edits.replace(begin, i,
                           "(*(::opgrade_emulation::on_device() ? &" + whole + " : &" + scope +
                               "opgrade_host_" + name + "))");
    } else if (facts.taken_addresses.contains(place) && !tokens.is(i + 1, "(")) {
      const std::size_t begin = qualified_begin(tokens, i);
      const std::string whole = text_of(tokens, begin, i);
      source.edits.replace(
          begin, i,
          "::opgrade_emulation::HostFunction<decltype(" + whole + "), " + whole + ">::call");
    }
  }
}

}  // namespace opgrade::emulation
