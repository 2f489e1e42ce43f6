#include "grader/base/core/wall_time.hpp"

#include <fmt/chrono.h>

namespace opgrade {
namespace {

/// Reads exactly `digits` digits at the front of `text` and removes them.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take_char(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == any_of.npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Reads date and time at the front of `text` and removes them.
std::optional<WallTime> take_wall_time(std::string_view& text, std::string_view between) {
  const auto year = take_number(text, 4);
  if (!year || !take_char(text, "-")) return std::nullopt;
  const auto month = take_number(text, 2);
  if (!month || !take_char(text, "-")) return std::nullopt;
  const auto day = take_number(text, 2);
  if (!day || !take_char(text, between)) return std::nullopt;
  const auto hour = take_number(text, 2);
  if (!hour || !take_char(text, ":")) return std::nullopt;
  const auto minute = take_number(text, 2);
  if (!minute) return std::nullopt;
  int second = 0;
  if (take_char(text, ":")) {
    const auto read = take_number(text, 2);
    if (!read) return std::nullopt;
    second = *read;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  const bool end_of_day = *hour == 24 && *minute == 0 && second == 0;
  if (!date.ok() || *year < 1970 || *minute > 59 || second > 59 || (*hour > 23 && !end_of_day))
    return std::nullopt;
  return WallTime{LocalTime(std::chrono::local_days(date)) + std::chrono::hours(*hour) +
                      std::chrono::minutes(*minute) + std::chrono::seconds(second),
                  end_of_day};
}

}  // namespace

std::optional<WallTime> parse_wall_time(std::string_view text) {
  const auto time = take_wall_time(text, " ");
  return text.empty() ? time : std::nullopt;
}

std::optional<Moment> parse_moment(std::string_view text) {
  const auto time = take_wall_time(text, " T");
  if (!time) return std::nullopt;
  if (take_char(text, ".")) {
    while (take_number(text, 1)) {
    }
  }
  take_char(text, " ");
  const Moment as_utc(time->time.time_since_epoch());
  if (text == "Z" || text == "UTC") return as_utc;
  const bool west = text.starts_with('-');
  if (!take_char(text, "+-")) return std::nullopt;
  const auto hours = take_number(text, 2);
  take_char(text, ":");
  const auto minutes = take_number(text, 2);
  if (!hours || !minutes || *hours > 14 || *minutes > 59 || !text.empty()) return std::nullopt;
  const std::chrono::seconds offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return west ? as_utc + offset : as_utc - offset;
}

std::string iso_text(Moment moment) { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", moment); }

}  // namespace opgrade
