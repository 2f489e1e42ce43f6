#include "grader/core/printable.hpp"

#include <fmt/format.h>

#include <algorithm>

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

/// C1 controls (U+0080..U+009F) and the bidirectional overrides and isolates, which reorder the
/// text around them (U+202A..U+202E, U+2066..U+2069).
bool is_deceptive(std::string_view c) {
  if (c.size() == 2) return c[0] == '\xC2' && static_cast<unsigned char>(c[1]) < 0xA0;
  if (c.size() != 3 || c[0] != '\xE2') return false;
  const auto b1 = static_cast<unsigned char>(c[1]);
  const auto b2 = static_cast<unsigned char>(c[2]);
  return (b1 == 0x80 && b2 >= 0xAA && b2 <= 0xAE) || (b1 == 0x81 && b2 >= 0xA6 && b2 <= 0xA9);
}

}  // namespace

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
    } else if (is_deceptive(sequence)) {
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
