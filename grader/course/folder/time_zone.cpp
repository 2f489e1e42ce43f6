#include "grader/course/folder/time_zone.hpp"

#include <date/tz.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <regex>
#include <utility>

#include "grader/base/core/whole_number.hpp"

namespace opgrade::course {
namespace {

using std::chrono::minutes, std::chrono::seconds;

const date::time_zone& zone_of(const void* zone) {
  return *static_cast<const date::time_zone*>(zone);
}

// Converts to the date library's own type of local times, which is older than the standard's.
date::local_seconds library_time(LocalTime time) {
  return date::local_seconds(time.time_since_epoch());
}

std::string clock_text(minutes time) {
  return fmt::format("{:02}:{:02}", time.count() / 60, time.count() % 60);
}

}  // namespace

std::optional<seconds> parse_span(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits > 6) return std::nullopt;
  const int value = whole_number<int>(text.substr(0, digits)).value();
  text.remove_prefix(digits);
  if (text.starts_with(' ')) text.remove_prefix(1);
  for (const auto& [unit, length] : {std::pair{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}})
    if (text == unit) return seconds(std::int64_t{value} * length);
  return std::nullopt;
}

std::string span_text(seconds span) {
  auto left = span.count();
  std::string text;
  int units = 0;
  for (const auto& [unit, length] : {std::pair{"d", 86400}, {"h", 3600}, {"min", 60}, {"s", 1}}) {
    const auto count = left / length;
    if (count == 0) continue;
    left -= count * length;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", count, unit);
    if (++units == 2) break;
  }
  return text.empty() ? "0 s" : text;
}

std::optional<TimeZone> TimeZone::find(const std::string& name) {
  try {
    return TimeZone(name, date::locate_zone(name));
  } catch (const std::exception&) {  // the library throws std::runtime_error for an unknown name
    return std::nullopt;
  }
}

LocalTime TimeZone::local(Moment moment) const {
  return LocalTime(zone_of(zone_).to_local(moment).time_since_epoch());
}

Moment TimeZone::moment(LocalTime time) const {
  const date::local_info info = zone_of(zone_).get_info(library_time(time));
  if (info.result == date::local_info::nonexistent) return info.first.end;
  const seconds offset =
      info.result == date::local_info::ambiguous ? info.second.offset : info.first.offset;
  return Moment(time.time_since_epoch() - offset);
}

Moment TimeZone::later(Moment moment, Moment from, Moment to) const {
  return this->moment(local(moment) + (local(to) - local(from)));
}

bool TimeZone::exists(LocalTime time) const {
  return zone_of(zone_).get_info(library_time(time)).result != date::local_info::nonexistent;
}

std::string TimeZone::text(Moment moment) const {
  return date::format("%a %F %T %Z", date::make_zoned(&zone_of(zone_), moment));
}

bool read_gpu_hours(const std::string& text, std::optional<GpuHours>& hours) {
  static const std::regex form("([0-9]{1,2})(:[0-5][0-9])?-([0-9]{1,2})(:[0-5][0-9])?");
  std::smatch part;
  if (!std::regex_match(text, part, form)) return false;
  const auto time = [&](std::size_t hour) {
    const int minute = part[hour + 1].matched ? std::stoi(part[hour + 1].str().substr(1)) : 0;
    return std::chrono::hours(std::stoi(part[hour])) + minutes(minute);
  };
  constexpr minutes kDay = std::chrono::days(1);
  if (time(1) == time(3) || time(1) >= kDay || time(3) > kDay) return false;
  hours = {time(1), time(3)};
  return true;
}

std::optional<Moment> closed_until(const GpuHours& hours, const TimeZone& zone, Moment now) {
  const LocalTime local = zone.local(now);
  const auto day = std::chrono::floor<std::chrono::days>(local);
  const auto time = local - day;
  const bool has_begun = time >= hours.from, has_ended = time >= hours.until;
  if (hours.from < hours.until ? has_begun && !has_ended : has_begun || !has_ended)
    return std::nullopt;
  return zone.moment(day + hours.from + std::chrono::days(has_begun ? 1 : 0));
}

std::string hours_text(const GpuHours& hours, const TimeZone& zone, Moment now) {
  const auto begin = closed_until(hours, zone, now);
  return fmt::format("{} to {} ({}), {}", clock_text(hours.from), clock_text(hours.until),
                     zone.name(), begin ? "next from " + zone.text(*begin) : "open now");
}

}  // namespace opgrade::course
