#include "grader/base/core/limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace opgrade {
namespace {

constexpr std::array<std::string_view, 7> kWords{
    "wall time", "CPU time",  "time to stop",         "memory",
    "output",    "file size", "threads and processes"};

constexpr std::array<std::pair<std::string_view, double>, 3> kUnits{
    {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}};

std::string bytes_text(double bytes) {
  const auto unit = std::ranges::find_if(kUnits.begin(), kUnits.end() - 1,
                                         [&](const auto& u) { return bytes >= u.second; });
  return fmt::format("{:.3g} {}", bytes / unit->second, unit->first);
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

std::optional<Limit> limit_of(std::string_view text) {
  const auto words =
      std::ranges::find_if(kWords, [&](std::string_view start) { return text.starts_with(start); });
  if (words == kWords.end()) return std::nullopt;
  Limit limit{static_cast<Limit::Kind>(words - kWords.begin())};
  text.remove_prefix(words->size());
  if (text.empty()) return limit;
  text.remove_prefix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit.value);
  if (error != std::errc()) return std::nullopt;
  for (const auto& [unit, bytes] : kUnits)
    if (text.ends_with(unit)) limit.value *= bytes;
  return limit;
}

}  // namespace opgrade
