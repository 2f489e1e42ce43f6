/// Decodes bytes that an address encodes as "%2F" (RFC 3986).
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace opgrade {

/// Turns "my%20plot.png" into "my plot.png"; invalid encodings stay as they are. In queries and
/// forms a plus is a space.
inline std::string decode_percent(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i] == '+' && plus_is_space ? ' ' : text[i];
    }
  }
  return decoded;
}

}  // namespace opgrade
