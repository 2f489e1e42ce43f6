#include "grader/course/gpu_hours.hpp"

#include <fmt/format.h>

#include "grader/core/whole_number.hpp"

namespace opgrade::course {
namespace {

using std::chrono::minutes;

/// "8", "08", "18:30".
std::optional<minutes> time_of_day(std::string_view text) {
  const auto colon = text.find(':');
  if (colon != text.npos && text.size() != colon + 3) return std::nullopt;
  const auto hour = whole_number<int>(text.substr(0, colon));
  const auto minute = colon == text.npos ? 0 : whole_number<int>(text.substr(colon + 1));
  if (!hour || !minute || *hour < 0 || *hour > 24 || *minute < 0 || *minute > 59)
    return std::nullopt;
  const minutes time = std::chrono::hours(*hour) + minutes(*minute);
  return time <= std::chrono::days(1) ? std::optional(time) : std::nullopt;
}

std::string clock_text(minutes time) {
  return fmt::format("{:02}:{:02}", time.count() / 60, time.count() % 60);
}

}  // namespace

bool read_gpu_hours(const std::string& text, std::optional<GpuHours>& hours) {
  const auto dash = text.find('-');
  if (dash == text.npos) return false;
  const auto from = time_of_day(std::string_view(text).substr(0, dash));
  const auto until = time_of_day(std::string_view(text).substr(dash + 1));
  if (!from || !until || *from == *until || *from == std::chrono::days(1)) return false;
  hours = {*from, *until};
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
