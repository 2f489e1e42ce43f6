#include "grader/core/counted.hpp"

#include <fmt/format.h>

namespace opgrade {

std::string counted(std::int64_t n, std::string_view singular, std::string_view plural) {
  if (n == 1) return fmt::format("1 {}", singular);
  return plural.empty() ? fmt::format("{} {}s", n, singular) : fmt::format("{} {}", n, plural);
}

}  // namespace opgrade
