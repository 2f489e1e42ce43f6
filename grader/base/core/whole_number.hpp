/// A whole number as text, such as a part of an address or of a command line.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace opgrade {

/// nullopt if the text holds anything else, even a blank.
template <std::integral T = std::int64_t>
std::optional<T> whole_number(std::string_view text) {
  T value = 0;
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error != std::errc() || end != last) return std::nullopt;
  return value;
}

}  // namespace opgrade
