#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

/// The `{` of the function whose name is token `name`, or kNone if the token is no declarator of a
/// definition, or the scopes do not take that bracket for a function's.
std::size_t body_behind(const Source& source, std::size_t name) {
  const Cursor& tokens = source.tokens;
  std::size_t open = name + 1;
  if (tokens.is(name, "operator")) {
    if (tokens.is(open, "(") && tokens.is(open + 1, ")")) open += 2;
    while (open < tokens.size() && !tokens.is(open, "(") && !tokens.is(open, ";")) ++open;
  } else if (tokens.is(open, "<") && tokens.close_angle(open) != kNone) {
    open = tokens.close_angle(open) + 1;  // a specialisation
  }
  if (!tokens.is(open, "(") || tokens.close_of(open) == kNone) return kNone;
  for (std::size_t i = tokens.close_of(open) + 1; i < tokens.size(); ++i) {
    if (tokens.is(i, "{")) return source.scopes.opens_body[i] ? i : kNone;
    if (among(tokens[i], {")", "}", ";", ",", ":", "="})) return kNone;
    if (among(tokens[i], {"(", "["})) i = tokens.close_of(i);
  }
  return kNone;
}

}  // namespace

// A GPU goes on behind the call, with whatever is in the register of the result. g++ takes the end
// for one that is never reached, and goes on in whatever code lies behind the function.
void rewrite_missing_results(Source& source) {
  const auto& functions = source.options.facts.without_result;
  if (functions.empty()) return;
  for (std::size_t i = 0; i < source.tokens.size(); ++i) {
    if (!source.tokens.identifier(i)) continue;
    const auto found = functions.find(source.name_place(i));
    if (found == functions.end()) continue;
    const std::size_t open = body_behind(source, i);
    const std::size_t close = open == kNone ? kNone : source.tokens.close_of(open);
    if (close == kNone) continue;
    source.edits.insert_before(close, found->second ? " return ::opgrade_emulation::NoReference(); "
                                                    : " return ::opgrade_emulation::NoResult(); ");
  }
}

}  // namespace opgrade::emulation
