#include "grader/grading/build/odd_character.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/base/core/cpp_tokens.hpp"

namespace opgrade {
namespace {

enum class Look { invisible, blank, sign, letter };

/// Characters from `first` to `last`. If `like` has several characters, each looks like the one in
/// its place; if it has one, all look like that one.
struct Row {
  char32_t first, last;
  Look look;
  std::string_view like;
  std::string_view name;
};

constexpr std::array kRows{
    Row{0x00A0, 0x00A0, Look::blank, " ", "a no-break space"},
    Row{0x00AD, 0x00AD, Look::invisible, "", "a soft hyphen"},
    Row{0x0085, 0x0085, Look::invisible, "", "a next-line control"},
    Row{0x00AB, 0x00AB, Look::sign, "\"", "a quotation mark"},
    Row{0x00B4, 0x00B4, Look::sign, "'", "an acute accent"},
    Row{0x00B7, 0x00B7, Look::sign, ".", "a middle dot"},
    Row{0x00BB, 0x00BB, Look::sign, "\"", "a quotation mark"},
    Row{0x00D7, 0x00D7, Look::sign, "*", "a multiplication sign"},
    Row{0x00F7, 0x00F7, Look::sign, "/", "a division sign"},
    Row{0x034F, 0x034F, Look::invisible, "", "a grapheme joiner"},
    Row{0x037E, 0x037E, Look::sign, ";", "a Greek question mark"},
    Row{0x0391, 0x03A9, Look::letter, "AB  EZH IK MN O P  TY X  ", "a Greek letter"},
    Row{0x03BF, 0x03BF, Look::letter, "o", "a Greek letter"},
    Row{0x0405, 0x0408, Look::letter, "SI J", "a Cyrillic letter"},
    Row{0x0410, 0x0425, Look::letter, "A B  E    K MHO PCTY X", "a Cyrillic letter"},
    Row{0x0430, 0x0445, Look::letter, "a    e        o pc y x", "a Cyrillic letter"},
    Row{0x0455, 0x0458, Look::letter, "si j", "a Cyrillic letter"},
    Row{0x061C, 0x061C, Look::invisible, "", "a mark of text direction"},
    Row{0x1680, 0x1680, Look::blank, " ", "an Ogham space"},
    Row{0x180E, 0x180E, Look::invisible, "", "a vowel separator"},
    Row{0x2000, 0x200A, Look::blank, " ", "a typographic space"},
    Row{0x200B, 0x200B, Look::invisible, "", "a zero-width space"},
    Row{0x200C, 0x200D, Look::invisible, "", "a zero-width joiner"},
    Row{0x200E, 0x200F, Look::invisible, "", "a mark of text direction"},
    Row{0x2010, 0x2015, Look::sign, "-", "a dash"},
    Row{0x2018, 0x201B, Look::sign, "'", "a typographic quote"},
    Row{0x201C, 0x201F, Look::sign, "\"", "a typographic quote"},
    Row{0x2026, 0x2026, Look::sign, "...", "an ellipsis"},
    Row{0x2028, 0x2028, Look::invisible, "", "a line separator"},
    Row{0x2029, 0x2029, Look::invisible, "", "a paragraph separator"},
    Row{0x202A, 0x202E, Look::invisible, "", "a mark of text direction"},
    Row{0x202F, 0x202F, Look::blank, " ", "a narrow no-break space"},
    Row{0x2032, 0x2032, Look::sign, "'", "a prime"},
    Row{0x2033, 0x2033, Look::sign, "\"", "a double prime"},
    Row{0x2039, 0x203A, Look::sign, "<>", "an angle quote"},
    Row{0x2044, 0x2044, Look::sign, "/", "a fraction slash"},
    Row{0x205F, 0x205F, Look::blank, " ", "a typographic space"},
    Row{0x2060, 0x2064, Look::invisible, "", "an invisible operator"},
    Row{0x2066, 0x206F, Look::invisible, "", "a mark of text direction"},
    Row{0x2212, 0x2212, Look::sign, "-", "a minus sign"},
    Row{0x2215, 0x2215, Look::sign, "/", "a division slash"},
    Row{0x2217, 0x2217, Look::sign, "*", "an asterisk operator"},
    Row{0x2236, 0x2236, Look::sign, ":", "a ratio sign"},
    Row{0x223C, 0x223C, Look::sign, "~", "a tilde operator"},
    Row{0x2260, 0x2260, Look::sign, "!=", "a sign of comparison"},
    Row{0x2264, 0x2264, Look::sign, "<=", "a sign of comparison"},
    Row{0x2265, 0x2265, Look::sign, ">=", "a sign of comparison"},
    Row{0x3000, 0x3000, Look::blank, " ", "an ideographic space"},
    Row{0x3001, 0x3001, Look::sign, ",", "an ideographic comma"},
    Row{0x3008, 0x3009, Look::sign, "<>", "an angle bracket"},
    Row{0xFE00, 0xFE0F, Look::invisible, "", "a variation selector"},
    Row{0xFEFF, 0xFEFF, Look::invisible, "", "a byte-order mark"},
    Row{0xFF01, 0xFF5E, Look::sign,
        "!\"#$%&'()*+,-./"
        "0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~",
        "a full-width character"},
    Row{0xFFF9, 0xFFFB, Look::invisible, "", "an annotation mark"},
};

/// A character of UTF-8. A byte that begins none is a character by itself.
struct Character {
  char32_t code = 0;
  std::size_t size = 1;
};

Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  const std::size_t size = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (size == 1 || at + size > text.size()) return {first < 0x80 ? first : char32_t{0}, 1};
  char32_t code = first & (0xFFU >> (size + 1));
  for (std::size_t i = at + 1; i < at + size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  return {code, size};
}

const Row* row_of(char32_t code) {
  const auto found = std::ranges::find_if(
      kRows, [&](const Row& row) { return row.first <= code && code <= row.last; });
  return found != kRows.end() ? &*found : nullptr;
}

/// What the character looks like; empty if it looks like no other one.
std::string_view like(const Row& row, char32_t code) {
  if (row.first == row.last || row.like.size() <= 1) return row.like;
  const std::string_view one = row.like.substr(code - row.first, 1);
  return one == " " ? std::string_view() : one;
}

bool is_word(char32_t code) {
  return code >= 0x80 || code == '_' || (code < 0x80 && std::isalnum(static_cast<int>(code)) != 0);
}

/// The bytes of a source that stand neither in a text nor in a comment.
class Code {
 public:
  explicit Code(const std::string& source) : is_code_(source.size(), false) {
    const auto tokens = cpp_tokens(source);
    for (const CppToken& token : tokens) {
      const std::string_view text = token.in(source);
      const bool quoted = text.starts_with('"') || text.starts_with('\'') || text.ends_with('"');
      if (text.starts_with('#') && text.size() > 1) {
        mark_directive(source, token.begin, token.size);
      } else if (!quoted) {
        mark(token.begin, token.size);
      }
    }
  }
  bool at(std::size_t i) const { return is_code_[i]; }

 private:
  void mark(std::size_t begin, std::size_t size) {
    std::fill_n(is_code_.begin() + static_cast<std::ptrdiff_t>(begin), size, true);
  }
  /// A directive is one token, with the texts and comments in it.
  void mark_directive(const std::string& source, std::size_t begin, std::size_t size) {
    mark(begin, 1);
    const std::string_view rest = std::string_view(source).substr(begin + 1, size - 1);
    for (const CppToken& token : cpp_tokens(rest)) {
      const std::string_view text = token.in(rest);
      if (!text.starts_with('"') && !text.starts_with('\''))
        mark(begin + 1 + token.begin, token.size);
    }
  }

  std::vector<bool> is_code_;
};

/// Lines of `file` that the messages are about: "a.cu:12:3: error" of g++ and clang, "a.cu(12):
/// error" of nvcc.
std::set<int> blamed_lines(const std::string& file, const std::string& messages) {
  std::set<int> lines;
  for (auto at = messages.find(file); at != messages.npos; at = messages.find(file, at + 1)) {
    auto i = at + file.size();
    if (i >= messages.size() || (messages[i] != ':' && messages[i] != '(')) continue;
    int line = 0;
    for (++i; i < messages.size() && messages[i] >= '0' && messages[i] <= '9' && line < 100'000'000;
         ++i)
      line = 10 * line + (messages[i] - '0');
    if (line > 0) lines.insert(line);
  }
  return lines;
}

/// True if `text` holds the word, and not only a longer one with it.
bool has_word(std::string_view text, std::string_view word) {
  const auto inside = [&](std::size_t i) {
    return i < text.size() && is_word(static_cast<unsigned char>(text[i]));
  };
  for (auto at = text.find(word); !word.empty() && at != text.npos; at = text.find(word, at + 1))
    if ((at == 0 || !inside(at - 1)) && !inside(at + word.size())) return true;
  return false;
}

/// True if a compiler's messages name the word in quotes, as they name what they miss.
bool is_missed(std::string_view messages, const std::string& word) {
  if (word.empty()) return false;
  for (const auto& [open, close] :
       {std::pair<std::string_view, std::string_view>{"\xE2\x80\x98", "\xE2\x80\x99"},
        {"'", "'"},
        {"\"", "\""}})
    if (messages.find(fmt::format("{}{}{}", open, word, close)) != messages.npos) return true;
  return false;
}

/// The word around byte `at` as its author means it, without characters that are not seen; empty if
/// a letter outside ASCII is meant.
std::string meant_word(std::string_view source, std::size_t at) {
  const auto goes_on = [&](std::size_t i) {
    return is_word(static_cast<unsigned char>(source[i]));
  };
  std::size_t begin = at, end = at;
  while (begin > 0 && goes_on(begin - 1)) --begin;
  while (end < source.size() && goes_on(end)) ++end;
  std::string word;
  for (std::size_t i = begin; i < end;) {
    const Character one = character_at(source, i);
    if (one.code < 0x80 && one.code > 0) {
      word += static_cast<char>(one.code);
    } else {
      const Row* const row = row_of(one.code);
      if (row == nullptr || (row->look == Look::letter && like(*row, one.code).empty())) return "";
      if (row->look == Look::letter || row->look == Look::sign) word += like(*row, one.code);
    }
    i += one.size;
  }
  return word;
}

}  // namespace

std::optional<OddCharacter> find_odd_character(const std::string& source, const std::string& file,
                                               const std::string& messages) {
  constexpr char32_t kByteOrderMark = 0xFEFF;
  constexpr int kMostJudged = 1000;  // each is looked for in the whole source
  if (std::ranges::all_of(source, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return std::nullopt;
  const std::set<int> lines = blamed_lines(file, messages);
  const Code code(source);
  int line = 1, column = 1, judged = 0;
  for (std::size_t i = 0; i < source.size();) {
    const Character one = character_at(source, i);
    const bool mark = i == 0 && one.code == kByteOrderMark;  // compilers skip it there
    const Row* const row = one.code >= 0x80 && !mark && code.at(i) ? row_of(one.code) : nullptr;
    if (row != nullptr && ++judged <= kMostJudged) {
      const std::string word = meant_word(source, i);
      const bool blamed = lines.contains(line) || is_missed(messages, word);
      const bool means_another =
          row->look != Look::letter ||
          (!like(*row, one.code).empty() && (has_word(source, word) || is_missed(messages, word)));
      if (blamed && means_another) {
        const std::string_view instead = like(*row, one.code);
        return OddCharacter{
            .name = fmt::format("{} (U+{:04X})", row->name, static_cast<std::uint32_t>(one.code)),
            .instead = row->look == Look::blank ? "a space"
                       : instead.empty()        ? ""
                                                : std::string(instead),
            .line = line,
            .column = column};
      }
    }
    ++column;
    if (source[i] == '\n') {
      ++line;
      column = 1;
    }
    i += one.size;
  }
  return std::nullopt;
}

}  // namespace opgrade
