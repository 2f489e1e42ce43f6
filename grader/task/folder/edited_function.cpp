#include "grader/task/folder/edited_function.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "grader/base/core/cpp_tokens.hpp"
#include "grader/base/files/checksum.hpp"

namespace opgrade {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw std::invalid_argument(why); }

/// Removes the marks of editors: a UTF-8 byte order mark, and Windows line ends.
std::string plain_layout(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text.substr(i, 2) != "\r\n") plain += text[i];
  return plain;
}

/// A directive without its comments and spaces, or any other token as it is.
std::string without_layout(std::string_view token) {
  if (!token.starts_with('#')) return std::string(token);
  std::string text;
  CppLexer words(token, CppLexer::Directives::none);
  while (const auto word = words.next())
    if (word->in(token) != "\\") text.append(word->in(token)).append(" ");
  return text;
}

/// True for a pragma that only says how a loop is compiled.
bool is_harmless_pragma(std::string_view directive) {
  const std::string text = without_layout(directive);
  return std::ranges::any_of(
      std::array{"unroll ", "nounroll ", "omp ", "GCC unroll ", "GCC ivdep "},
      [&](std::string_view kind) { return text.starts_with(fmt::format("# pragma {}", kind)); });
}

/// A source with its function's body: the tokens between two braces.
class Edited {
 public:
  Edited(std::string_view text, std::string_view function)
      : text_(text), tokens_(cpp_tokens(text)) {
    const auto parentheses = pairs("(", ")");
    const auto braces = pairs("{", "}");
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i) {
      if (at(i) != function || at(i + 1) != "(") continue;
      const std::size_t behind = behind_suffix(parentheses[i + 1] + 1, parentheses);
      if (at(behind) != "{") continue;
      if (braces[behind] == tokens_.size()) break;
      open_ = behind;
      close_ = braces[behind];
      return;
    }
    refuse(fmt::format("it does not define {}()", function));
  }

  std::string_view at(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].in(text_) : std::string_view();
  }
  std::size_t open() const { return open_; }
  std::size_t close() const { return close_; }
  std::size_t size() const { return tokens_.size(); }
  const CppToken& token(std::size_t i) const { return tokens_[i]; }

  /// The text up to the body, and the text from the body's end on.
  std::string_view start() const { return text_.substr(0, tokens_[open_].begin + 1); }
  std::string_view end() const { return text_.substr(tokens_[close_].begin); }

 private:
  /// The token after everything that may stand between parameters and body.
  std::size_t behind_suffix(std::size_t i, const std::vector<std::size_t>& parentheses) const {
    const bool is_suffix = at(i) == "noexcept" || at(i) == "__attribute__" || at(i) == "requires" ||
                           at(i) == "const" || (at(i) == "-" && at(i + 1) == ">");
    if (!is_suffix) return i;
    while (i < tokens_.size() && at(i) != "{" && at(i) != ";" && at(i) != "}" && at(i) != ")")
      i = at(i) == "(" ? parentheses[i] + 1 : i + 1;
    return i;
  }

  /// For each token `left` the index of its `right`; the number of tokens if there is none.
  std::vector<std::size_t> pairs(std::string_view left, std::string_view right) const {
    std::vector<std::size_t> pair(tokens_.size(), tokens_.size()), open;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (at(i) == left) open.push_back(i);
      if (at(i) != right || open.empty()) continue;
      pair[open.back()] = i;
      open.pop_back();
    }
    return pair;
  }

  std::string_view text_;
  std::vector<CppToken> tokens_;
  std::size_t open_ = 0, close_ = 0;
};

void expect_same(const Edited& given, std::size_t given_from, std::size_t given_to,
                 const Edited& edited, std::size_t from, std::size_t to,
                 std::string_view function) {
  for (std::size_t i = 0; given_from + i < given_to || from + i < to; ++i) {
    const bool same =
        given_from + i < given_to && from + i < to &&
        without_layout(given.at(given_from + i)) == without_layout(edited.at(from + i));
    if (same) continue;
    const auto last = std::min(from + i, edited.size() - 1);
    refuse(fmt::format("line {} differs from the given file: change {}() alone",
                       edited.token(last).line, function));
  }
}

/// True for the alternative spellings of # { } [ ].
bool is_digraph(std::string_view token, std::string_view next) {
  return (token == "%" && (next == ":" || next == ">")) || (token == "<" && next == "%") ||
         (token == "<" && next == ":") || (token == ":" && next == ">");
}

/// Writes the tokens instead of the text, so that it does not matter what the compiler takes for a
/// comment.
std::string body_of(const Edited& edited) {
  std::string text;
  int line = edited.token(edited.open()).line;
  std::size_t behind = 0;  // the token before
  for (std::size_t i = edited.open() + 1; i < edited.close(); ++i) {
    const auto token = edited.at(i);
    const bool raw = token.ends_with('"') && token.front() != '"';
    const bool broken = (token.front() == '"' || token.front() == '\'') &&
                        (!quoted_at(token).is_closed || token.find('\n') != token.npos);
    const auto place = edited.token(i);
    if (is_harmless_pragma(token)) {
      // A pragma must be on a line of its own.
      const int lines = place.line > line ? place.line - line : 1;
      text.append(static_cast<std::size_t>(lines), '\n').append(without_layout(token)).append("\n");
      line = place.line + 1;
      behind = place.begin + place.size;
      continue;
    }
    const bool touches =
        i + 1 < edited.close() && edited.token(i + 1).begin == place.begin + place.size;
    if (token.front() == '#' || token == "\\" || raw || broken ||
        (touches && is_digraph(token, edited.at(i + 1))))
      refuse(fmt::format("line {}: no directives, raw strings or continued lines in this function",
                         place.line));
    if (place.line > line)
      text.append(static_cast<std::size_t>(place.line - line), '\n');
    else if (place.begin != behind)
      text += ' ';
    text += token;
    line = place.line;
    behind = place.begin + place.size;
  }
  return text + "\n";
}

}  // namespace

std::string with_function_of(std::string_view given_file, std::string_view edited_file,
                             std::string_view function) {
  const std::string given = plain_layout(given_file), edited = plain_layout(edited_file);
  const Edited ours(given, function), theirs(edited, function);
  expect_same(ours, 0, ours.open(), theirs, 0, theirs.open(), function);
  expect_same(ours, ours.close(), ours.size(), theirs, theirs.close(), theirs.size(), function);
  const std::string body = body_of(theirs);
  // If a macro or another spelling of a brace closed the body early for the compiler only, this
  // name would be unknown at the body's end. No body can contain the hash of itself.
  const std::string name = "opgrade_" + sha256_of_text(body);
  return fmt::format("{}enum {{ {} }};{} (void){};{}", ours.start(), name, body, name, ours.end());
}

}  // namespace opgrade
