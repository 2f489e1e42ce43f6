#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {
bool opens(const Token& t) { return t.is("(") || t.is("[") || t.is("{"); }
bool closes(const Token& t) { return t.is(")") || t.is("]") || t.is("}"); }
}  // namespace

std::size_t Cursor::close_of(std::size_t open) const {
  int depth = 0;
  for (std::size_t i = open; i < tokens_.size(); ++i) {
    if (opens(tokens_[i])) ++depth;
    if (closes(tokens_[i]) && --depth == 0) return i;
  }
  return kNone;
}

std::size_t Cursor::open_of(std::size_t close) const {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (closes(tokens_[i])) ++depth;
    if (opens(tokens_[i]) && --depth == 0) return i;
  }
  return kNone;
}

bool Cursor::opens_angle(std::size_t i) const {
  const bool shifts = starts_pair(i, "<") || (i > 0 && is(i - 1, "<") && touches_next(i - 1));
  return !shifts && !starts_pair(i, "=") && i > 0 && identifier(i - 1);
}

std::size_t Cursor::close_angle(std::size_t open) const {
  if (starts_pair(open, "<") || starts_pair(open, "=")) return kNone;
  int depth = 0;
  for (std::size_t i = open; i < tokens_.size(); ++i) {
    const Token& t = tokens_[i];
    if (t.is("<") && (i == open || opens_angle(i))) ++depth;
    if (t.is(">") && !starts_pair(i, "=") && --depth == 0) return i;
    if (t.is(";") || t.is("{") || closes(t)) return kNone;
    if (opens(t)) {
      i = close_of(i);
      if (i == kNone) return kNone;
    }
  }
  return kNone;
}

std::size_t Cursor::open_angle(std::size_t close) const {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    const Token& t = tokens_[i];
    if (t.is(">") && (i == close || !starts_pair(i, "="))) ++depth;
    if (t.is("<") && opens_angle(i) && --depth == 0) return i;
    if (t.is(";") || t.is("}") || opens(t)) return kNone;
    if (closes(t)) {
      i = open_of(i);
      if (i == kNone) return kNone;
    }
  }
  return kNone;
}

std::size_t Cursor::statement_begin(std::size_t i) const {
  while (i > 0) {
    const Token& before = tokens_[i - 1];
    if (before.is(";") || before.is("{") || before.is("}") || before.is(":")) break;
    --i;
    if (before.is(")") || before.is("]")) {
      const std::size_t open = open_of(i);
      if (open == kNone) break;
      i = open;
    }
  }
  return i;
}

std::size_t Cursor::statement_end(std::size_t i) const {
  for (; i < tokens_.size(); ++i) {
    const Token& t = tokens_[i];
    if (t.is(";")) return i;
    if (closes(t)) return kNone;
    if (opens(t)) {
      i = close_of(i);
      if (i == kNone) return kNone;
    }
  }
  return kNone;
}

}  // namespace opgrade::emulation
