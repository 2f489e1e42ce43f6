/// Reads numbers from the bytes of a file that may end anywhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace opgrade::documents {

inline int byte_at(std::string_view bytes, std::size_t at) {
  return static_cast<unsigned char>(bytes[at]);
}

/// nullopt if the bytes end before the number does. `size` is at most 8.
inline std::optional<std::uint64_t> big_endian(std::string_view bytes, std::size_t at,
                                               std::size_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i)
    number = number << 8 | static_cast<unsigned>(byte_at(bytes, at + i));
  return number;
}

inline std::optional<std::uint64_t> little_endian(std::string_view bytes, std::size_t at,
                                                  std::size_t size) {
  if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
  std::uint64_t number = 0;
  for (std::size_t i = size; i > 0; --i)
    number = number << 8 | static_cast<unsigned>(byte_at(bytes, at + i - 1));
  return number;
}

}  // namespace opgrade::documents
