#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {

bool opens(const Token& t) { return t.is("(") || t.is("[") || t.is("{"); }
bool closes(const Token& t) { return t.is(")") || t.is("]") || t.is("}"); }
bool ends_statement(const Token& t) { return t.is(";") || t.is("{") || t.is("}") || t.is(":"); }

}  // namespace

// Finds all partners in one walk, because a source may need one at each of its tokens.
Cursor::Cursor(const std::vector<Token>& tokens) : tokens_(tokens), partner_(tokens.size(), kNone) {
  std::vector<std::size_t> brackets;                 // open ones
  std::vector<std::vector<std::size_t>> angles{{}};  // open ones in each open bracket
  const auto pair = [&](std::size_t open, std::size_t close) {
    partner_[open] = close;
    partner_[close] = open;
  };
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const Token& t = tokens[i];
    if (t.is("<") && opens_angle(i)) angles.back().push_back(i);
    if (t.is(">") && !starts_pair(i, "=") && !angles.back().empty()) {
      pair(angles.back().back(), i);
      angles.back().pop_back();
    }
    if (t.is(";") || t.is("{")) angles.back().clear();
    if (opens(t)) {
      brackets.push_back(i);
      angles.emplace_back();
    }
    if (!closes(t)) continue;
    if (angles.size() > 1)
      angles.pop_back();
    else
      angles.back().clear();
    if (brackets.empty()) continue;
    pair(brackets.back(), i);
    brackets.pop_back();
  }
  find_statements();
}

bool Cursor::opens_angle(std::size_t i) const {
  const bool shifts = starts_pair(i, "<") || (i > 0 && is(i - 1, "<") && touches_next(i - 1));
  return !shifts && !starts_pair(i, "=") && i > 0 && identifier(i - 1);
}

void Cursor::find_statements() {
  const std::size_t size = tokens_.size();
  statement_begin_.assign(size, 0);
  for (std::size_t i = 1; i < size; ++i) {
    const Token& before = tokens_[i - 1];
    const bool group = before.is(")") || before.is("]");
    statement_begin_[i] = ends_statement(before)              ? i
                          : group && partner_[i - 1] == kNone ? i - 1
                          : group                             ? statement_begin_[partner_[i - 1]]
                                                              : statement_begin_[i - 1];
  }
  statement_end_.assign(size + 1, kNone);
  for (std::size_t i = size; i-- > 0;) {
    const Token& t = tokens_[i];
    if (t.is(";")) {
      statement_end_[i] = i;
    } else if (opens(t)) {
      if (partner_[i] != kNone) statement_end_[i] = statement_end_[partner_[i] + 1];
    } else if (!closes(t)) {
      statement_end_[i] = statement_end_[i + 1];
    }
  }
}

}  // namespace opgrade::emulation
