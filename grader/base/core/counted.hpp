/// Counts of things in messages.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace opgrade {

/// "1 worker", "0 workers", "2 processes". If `plural` is empty, an s is added to `singular`.
inline std::string counted(std::int64_t n, std::string_view singular,
                           std::string_view plural = {}) {
  if (n == 1) return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", n, singular) : fmt::format("{} {}", n, plural);
}

}  // namespace opgrade
