#include "grader/base/core/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/base/core/utf8.hpp"

namespace opgrade {
namespace {

/// Length of the valid UTF-8 sequence at `s`, or 0. Overlong forms, surrogates and values beyond
/// U+10FFFF are invalid (RFC 3629).
std::size_t utf8_length(std::string_view s) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = at(0);
  const std::size_t length = first < 0x80   ? 1
                             : first < 0xC2 ? 0
                             : first < 0xE0 ? 2
                             : first < 0xF0 ? 3
                             : first < 0xF5 ? 4
                                            : 0;
  if (length == 0 || length > s.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && at(1) < 0xA0) return 0;
  if (first == 0xED && at(1) > 0x9F) return 0;
  if (first == 0xF0 && at(1) < 0x90) return 0;
  if (first == 0xF4 && at(1) > 0x8F) return 0;
  return length;
}

struct CodePoints {
  char32_t first, last;
};

/// Characters that have no glyph or reorder the text around them: C1 controls, and Unicode's
/// default ignorable, bidirectional, line-separating and annotating code points, in order.
constexpr std::array kUnseen{
    CodePoints{0x80, 0x9F},       CodePoints{0xAD, 0xAD},       CodePoints{0x34F, 0x34F},
    CodePoints{0x61C, 0x61C},     CodePoints{0x115F, 0x1160},   CodePoints{0x17B4, 0x17B5},
    CodePoints{0x180B, 0x180F},   CodePoints{0x200B, 0x200F},   CodePoints{0x2028, 0x202E},
    CodePoints{0x2060, 0x206F},   CodePoints{0x3164, 0x3164},   CodePoints{0xFDD0, 0xFDEF},
    CodePoints{0xFE00, 0xFE0F},   CodePoints{0xFEFF, 0xFEFF},   CodePoints{0xFFA0, 0xFFA0},
    CodePoints{0xFFF0, 0xFFFB},   CodePoints{0x1BCA0, 0x1BCA3}, CodePoints{0x1D173, 0x1D17A},
    CodePoints{0xE0000, 0xE0FFF},
};

/// The code point of a sequence that utf8_length() found valid.
char32_t code_point(std::string_view sequence) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  if (sequence.size() == 1) return first;
  char32_t code = first & (0x7FU >> sequence.size());
  for (const char c : sequence.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3F);
  return code;
}

bool is_unseen(std::string_view sequence) {
  const char32_t code = code_point(sequence);
  if (code < kUnseen.front().first) return false;
  if ((code & 0xFFFE) == 0xFFFE) return true;  // the last two of each plane are noncharacters
  const auto range = std::ranges::lower_bound(kUnseen, code, {}, &CodePoints::last);
  return range != kUnseen.end() && code >= range->first;
}

}  // namespace

bool is_utf8(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

std::string printable(std::string_view bytes, std::size_t max_line) {
  std::string out;
  out.reserve(std::min<std::size_t>(bytes.size(), 1 << 20));
  std::size_t line = 0;
  bool cut = false;
  for (std::size_t i = 0; i < bytes.size();) {
    const char c = bytes[i];
    if (c == '\n' || (c == '\r' && (i + 1 == bytes.size() || bytes[i + 1] != '\n'))) {
      out += '\n';
      line = 0;
      cut = false;
      ++i;
      continue;
    }
    if (c == '\r') {
      ++i;
      continue;
    }
    const std::size_t length = utf8_length(bytes.substr(i));
    const auto sequence = bytes.substr(i, std::max<std::size_t>(length, 1));
    i += sequence.size();
    if (cut) continue;
    if (line >= max_line) {
      out += " [line cut]";
      cut = true;
      continue;
    }
    const auto code = static_cast<unsigned char>(sequence[0]);
    std::string shown;
    if (length == 0) {
      shown = fmt::format("\\x{:02x}", code);
    } else if ((code < 0x20 && code != '\t') || code == 0x7F) {
      shown = fmt::format("\\x{:02x}", code);
    } else if (is_unseen(sequence)) {
      for (const char byte : sequence)
        shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(byte));
    } else {
      shown = sequence;
    }
    out += shown;
    line += shown.size();
  }
  return out;
}

std::string printable_line(std::string_view bytes, std::size_t max_length) {
  std::string line(bytes);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return printable(line, max_length);
}

}  // namespace opgrade
