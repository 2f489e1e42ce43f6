#include <algorithm>
#include <tuple>

#include "grader/emulation/translator/passes.hpp"

namespace opgrade::emulation {
namespace {
constexpr std::size_t kLate = static_cast<std::size_t>(1) << 40;
}  // namespace

std::string Edits::blanked(std::size_t begin, std::size_t end) const {
  std::string out;
  std::size_t at = begin;
  while (at < end) {
    const std::size_t line_end = std::min(text_.find('\n', at), end);
    const bool marker = text_[at] == '#' && at > 0 && text_[at - 1] == '\n';
    if (marker) {
      out.append(text_.substr(at, line_end - at));
    } else {
      out.append(line_end - at, ' ');
    }
    if (line_end < end) out += '\n';
    at = line_end + 1;
  }
  return out;
}

void Edits::insert_before(std::size_t token, std::string what) {
  edits_.push_back({lexed_.tokens[token].offset, 0, std::move(what), edits_.size(), true});
}

void Edits::insert_after(std::size_t token, std::string what) {
  edits_.push_back({lexed_.tokens[token].end(), 0, std::move(what), edits_.size(), true});
}

void Edits::late_insert_after(std::size_t token, std::string what) {
  edits_.push_back({lexed_.tokens[token].end(), 0, std::move(what), kLate + edits_.size(), true});
}

void Edits::blank(std::size_t first, std::size_t last) {
  const std::size_t begin = lexed_.tokens[first].offset;
  const std::size_t end = lexed_.tokens[last].end();
  // The text keeps its length: nothing after it moves, so no line marker is needed.
  edits_.push_back({begin, end - begin, blanked(begin, end), edits_.size(), false});
}

void Edits::replace(std::size_t first, std::size_t last, std::string what) {
  const std::size_t begin = lexed_.tokens[first].offset;
  const std::size_t end = lexed_.tokens[last].end();
  std::string rest = blanked(begin, end);
  if (rest.find('\n') != std::string::npos) what += rest;  // later lines keep their numbers
  edits_.push_back({begin, end - begin, std::move(what), edits_.size(), true});
}

std::string Edits::marker(std::size_t token) const {
  const Token& t = lexed_.tokens[token];
  const auto moved = joined_.find(token);
  const int line = moved != joined_.end() ? moved->second : t.line;
  return "\n# " + std::to_string(line) + " \"" + lexed_.files[static_cast<std::size_t>(t.file)] +
         "\"\n" + std::string(static_cast<std::size_t>(t.column - 1), ' ');
}

void Edits::join(std::size_t token) {
  const Token& before = lexed_.tokens[token - 1];
  const Token& t = lexed_.tokens[token];
  const auto moved = joined_.find(token - 1);
  const int line = moved != joined_.end() ? moved->second : before.line;
  if (t.file != before.file || t.line == line) return;
  const std::string_view gap = text_.substr(before.end(), t.offset - before.end());
  if (gap.find("#pragma") != std::string_view::npos) return;
  joined_[token] = line;
  if (gap.find('\n') != std::string_view::npos)
    edits_.push_back({before.end(), gap.size(), " ", kLate + edits_.size(), false});
}

void Edits::end_join(std::size_t token) {
  if (joined_.contains(token - 1)) insert_before(token, "");
}

std::string Edits::quote(std::size_t first, std::size_t last) const {
  const std::size_t begin = lexed_.tokens[first].offset;
  const std::size_t end = lexed_.tokens[last].end();
  return marker(first) + std::string(text_.substr(begin, end - begin));
}

const Token* Edits::next_on_line(std::size_t offset) const {
  const auto next = std::lower_bound(lexed_.tokens.begin(), lexed_.tokens.end(), offset,
                                     [](const Token& t, std::size_t o) { return t.offset < o; });
  if (next == lexed_.tokens.end()) return nullptr;
  const std::string_view between = text_.substr(offset, next->offset - offset);
  return between.find('\n') == std::string_view::npos ? &*next : nullptr;
}

std::string Edits::apply() {
  // What is inserted before a token comes before what replaces the token.
  const auto key = [](const Edit& e) { return std::tuple(e.offset, e.length > 0, e.order); };
  std::ranges::sort(edits_, {}, key);
  std::string out;
  out.reserve(text_.size() + text_.size() / 8);
  std::size_t at = 0;
  bool moved = false;
  for (std::size_t i = 0; i < edits_.size(); ++i) {
    const Edit& edit = edits_[i];
    if (edit.offset < at) continue;  // inside something that was already replaced
    out.append(text_.substr(at, edit.offset - at));
    out += edit.text;
    at = edit.offset + edit.length;
    moved = moved || edit.moves;
    const bool more_here = i + 1 < edits_.size() && edits_[i + 1].offset == at;
    if (!moved || more_here) continue;
    moved = false;
    if (const Token* next = next_on_line(at)) {
      out += marker(static_cast<std::size_t>(next - lexed_.tokens.data()));
      at = next->offset;
    }
  }
  out.append(text_.substr(at));
  return out;
}

}  // namespace opgrade::emulation
