#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

/// The `{` of the function whose name is token `name`, or kNone.
std::size_t body_behind(const Source& source, std::size_t name) {
  for (std::size_t i = name + 1; i < source.tokens.size(); ++i) {
    if (source.scopes.opens_body[i]) return i;
    if (source.tokens.is(i, ";") || source.tokens.is(i, "}")) return kNone;
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
