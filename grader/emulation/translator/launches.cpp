#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

/// True for three of the character. nvcc accepts `<< <` and `< <<` for `<<<`, which formatters for
/// C++ produce.
bool three(const Cursor& tokens, std::size_t i, std::string_view c) {
  return tokens.is(i, c) && tokens.is(i + 1, c) && tokens.is(i + 2, c) &&
         (tokens.touches_next(i) || tokens.touches_next(i + 1));
}

/// First token of the expression before `<<<` that names the kernel: `ns::k<T, 4>`, `(*f)`,
/// `table[i]`, `object.member`.
std::size_t callee_begin(const Cursor& tokens, std::size_t launch) {
  std::size_t i = launch;
  while (i > 0) {
    std::size_t last = i - 1;
    if (tokens.is(last, "]")) {
      last = tokens.open_of(last);
      if (last == kNone) return kNone;
      i = last;
      continue;
    }
    if (tokens.is(last, ">")) {
      last = tokens.open_angle(last);
      if (last == kNone || last == 0) return kNone;
      --last;
    } else if (tokens.is(last, ")")) {
      last = tokens.open_of(last);
      if (last == kNone) return kNone;
      if (last > 0 && tokens.identifier(last - 1) && !tokens.is(last - 1, "return")) --last;
    }
    const bool parenthesised = tokens.is(last, "(");
    if (!parenthesised && !tokens.identifier(last)) return kNone;
    i = last;
    if (i > 0 && tokens.is(i - 1, "template")) --i;
    if (i == 0) break;
    if (tokens.is(i - 1, "::")) {
      --i;
      const bool qualified = i > 0 && ((tokens.identifier(i - 1) && !tokens.is(i - 1, "return")) ||
                                       tokens.is(i - 1, ">"));
      if (!qualified) break;
      continue;
    }
    if (tokens.is(i - 1, "->") || tokens.is(i - 1, ".")) {
      --i;
      continue;
    }
    break;
  }
  return i;
}

/// First of the three `>` that end the configuration opened at `open`.
std::size_t configuration_end(const Cursor& tokens, std::size_t open) {
  // Limits the search, because otherwise a row of signs would be read to its end at each sign.
  constexpr std::size_t kLongest = 1000;
  for (std::size_t i = open + 3, steps = 0; i < tokens.size() && steps < kLongest; ++i, ++steps) {
    if (tokens.is(i, "(") || tokens.is(i, "[") || tokens.is(i, "{")) {
      i = tokens.close_of(i);
      if (i == kNone) return kNone;
    } else if (three(tokens, i, ">")) {
      // foo<bar<1>>>>>(..): the last three of a longer row are the ones
      while (three(tokens, i + 1, ">")) ++i;
      return i;
    } else if (tokens.is(i, ";")) {
      return kNone;
    }
  }
  return kNone;
}

}  // namespace

void rewrite_launches(Source& source) {
  const Cursor& tokens = source.tokens;
  for (std::size_t i = 0; i + 2 < tokens.size(); ++i) {
    if (!three(tokens, i, "<") || (i > 0 && tokens.is(i - 1, "operator"))) continue;
    const std::size_t end = configuration_end(tokens, i);
    const std::size_t begin = callee_begin(tokens, i);
    if (end == kNone || begin == kNone || end == i + 3 || !tokens.is(end + 3, "(")) {
      source.remark(Remark::Kind::error, i,
                    "this launch is not kernel<<<grid, block>>>(arguments)");
      i += 2;
      continue;
    }
    const std::size_t close = tokens.close_of(end + 3);
    if (close == kNone) continue;
    source.edits.insert_before(begin, "(::opgrade_emulation::Configuration(" + source.place(i) +
                                          ", " + source.edits.quote(i + 3, end - 1) + "), ");
    source.edits.blank(i, end + 2);
    source.edits.insert_after(close, ")");
    i = end;
  }
}

}  // namespace opgrade::emulation
