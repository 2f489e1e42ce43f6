#include "grader/core/limit.hpp"

#include <fmt/format.h>

namespace opgrade {
namespace {

constexpr std::array<std::string_view, kLimitNames.size()> kWords{
    "wall time", "CPU time",  "time to stop",         "memory",
    "output",    "file size", "threads and processes"};

std::string bytes_text(double bytes) {
  if (bytes >= 1 << 30) return fmt::format("{:.3g} GiB", bytes / (1 << 30));
  if (bytes >= 1 << 20) return fmt::format("{:.3g} MiB", bytes / (1 << 20));
  return fmt::format("{:.3g} KiB", bytes / 1024);
}

std::string value_text(const Limit& limit) {
  switch (limit.kind) {
    case Limit::Kind::wall_time:
    case Limit::Kind::cpu_time:
    case Limit::Kind::stopping_time:
      return fmt::format("{:g} s", limit.value);
    case Limit::Kind::memory:
    case Limit::Kind::output:
    case Limit::Kind::file_size:
      return bytes_text(limit.value);
    default:
      return fmt::format("{:g}", limit.value);
  }
}

}  // namespace

Outcome outcome_of(Limit::Kind kind) {
  switch (kind) {
    case Limit::Kind::wall_time:
    case Limit::Kind::cpu_time:
      return Outcome::out_of_time;
    case Limit::Kind::memory:
      return Outcome::out_of_memory;
    default:
      return Outcome::over_limit;
  }
}

std::string text_of(const Limit& limit) {
  const std::string_view words = kWords[static_cast<std::size_t>(limit.kind)];
  return limit.value == 0 ? std::string(words) : fmt::format("{} {}", words, value_text(limit));
}

}  // namespace opgrade
