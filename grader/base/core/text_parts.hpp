/// Parts of a text, by the rules of ASCII.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace opgrade {

/// The text without the blanks and tabs around it.
inline std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return text.substr(0, text.find_last_not_of(" \t") + 1);
}

inline std::string lowercase(std::string_view text) {
  std::string made(text);
  std::ranges::transform(made, made.begin(), [](unsigned char c) { return std::tolower(c); });
  return made;
}

/// The parts between the separators. If the text ends with a separator, no empty part follows it.
inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const auto end = std::min(text.find(separator), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Encodes a part of an address (RFC 3986): letters, digits, "-_." and the characters of `plain`
/// stay.
inline std::string encode_percent(std::string_view text, std::string_view plain = "") {
  constexpr std::string_view kDigits = "0123456789ABCDEF", kPlain = "-_.";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || kPlain.find(c) != kPlain.npos || plain.find(c) != plain.npos)
      encoded += c;
    else
      encoded += {'%', kDigits[byte / 16], kDigits[byte % 16]};
  }
  return encoded;
}

}  // namespace opgrade
