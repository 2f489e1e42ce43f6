/// Moments and wall-clock times as staff and learning platforms write them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace opgrade {

using Moment = std::chrono::sys_seconds;       ///< UTC
using LocalTime = std::chrono::local_seconds;  ///< local time in an unspecified zone

/// A wall-clock time as staff write it.
struct WallTime {
  LocalTime time;
  bool end_of_day = false;  ///< written as 24:00
};

/// "2026-10-12 23:59", "2026-10-12 23:59:30", "2026-10-12 24:00". nullopt for other texts.
std::optional<WallTime> parse_wall_time(std::string_view text);

/// A time that names its offset from UTC: "2026-10-13T04:59:00Z", "2026-10-12 23:59:00.5 -05:00".
/// Fractions of a second are cut off.
std::optional<Moment> parse_moment(std::string_view text);

/// "2026-10-13T04:59:00Z".
std::string iso_text(Moment moment);

inline Moment this_second() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

}  // namespace opgrade
