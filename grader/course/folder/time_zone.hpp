/// Converts between moments and the wall-clock times and hours of a course, by its IANA time zone.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "grader/base/core/wall_time.hpp"

namespace opgrade::course {

using opgrade::iso_text;
using opgrade::LocalTime;
using opgrade::Moment;
using opgrade::parse_moment;
using opgrade::parse_wall_time;
using opgrade::this_second;
using opgrade::WallTime;

/// Reads "10 min", "36 h" or "2 d", with `d` as 24 hours. nullopt for other texts.
std::optional<std::chrono::seconds> parse_span(std::string_view text);

/// "40 s", "12 min", "3 h 5 min", "2 d 1 h": the two largest units.
std::string span_text(std::chrono::seconds span);

class TimeZone {
 public:
  /// Finds a zone by its IANA name, "America/Chicago". nullopt if the machine's tz database lacks
  /// it.
  static std::optional<TimeZone> find(const std::string& name);

  const std::string& name() const { return name_; }

  LocalTime local(Moment moment) const;

  /// The moment at a time of the wall clock. If the clocks skip the time, this is the moment when
  /// they go forward: a day whose midnight is skipped ends then. If the time comes twice, it is the
  /// later moment, in the student's favour.
  Moment moment(LocalTime time) const;

  /// `moment` as much later as `to` is after `from`, in days and times of the wall clock: midnight
  /// stays midnight if the clocks change in between.
  Moment later(Moment moment, Moment from, Moment to) const;

  /// False for a time that the clocks skip in spring.
  bool exists(LocalTime time) const;

  /// "Mon 2026-10-12 23:59:00 CDT".
  std::string text(Moment moment) const;

 private:
  TimeZone(std::string name, const void* zone) : name_(std::move(name)), zone_(zone) {}

  std::string name_;
  const void* zone_;  ///< date::time_zone of the library's database, which lives for ever
};

/// The hours of the day in which gradings may use a GPU that is shared with others.
struct GpuHours {
  std::chrono::minutes from{0};   ///< since midnight, by the course's clock
  std::chrono::minutes until{0};  ///< if before `from`: a time of the next day
};

/// Reads "18-08", "18:30-08:00" or "00-24". Returns false for other texts, and if both ends are
/// equal.
bool read_gpu_hours(const std::string& text, std::optional<GpuHours>& hours);

/// When the hours begin next; nullopt while they last.
std::optional<Moment> closed_until(const GpuHours& hours, const TimeZone& zone, Moment now);

/// "18:00 to 08:00 (America/Chicago), open now", or "..., next from Mon 2026-10-12 18:00:00 CDT".
std::string hours_text(const GpuHours& hours, const TimeZone& zone, Moment now);

}  // namespace opgrade::course
