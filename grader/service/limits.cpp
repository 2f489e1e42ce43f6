#include "grader/service/limits.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace opgrade::service {

using course::Moment;

Allowance allowance(const course::TimeZone& zone, const std::vector<Moment>& times,
                    const Limits& limits, Moment now) {
  Allowance answer;
  if (limits.interval.count() > 0 && !times.empty()) {
    const auto next = *std::ranges::max_element(times) + limits.interval;
    answer.wait = std::max(next - now, std::chrono::seconds(0));
  }
  if (limits.a_day > 0) {
    const auto day = [&](Moment time) {
      return std::chrono::floor<std::chrono::days>(zone.local(time));
    };
    const auto today = std::ranges::count(times, day(now), day);
    answer.left_today = std::max(0, limits.a_day - static_cast<int>(today));
    if (*answer.left_today == 0) {
      const auto midnight = zone.moment(course::LocalTime(day(now) + std::chrono::days(1)));
      answer.wait = std::max(answer.wait, midnight - now);
    }
  }
  return answer;
}

std::string Allowance::text() const {
  std::string said = left_today ? fmt::format("{} submission{} left today", *left_today,
                                              *left_today == 1 ? "" : "s")
                                : "no daily limit";
  if (wait.count() > 0) said += fmt::format("; the next one in {}", course::span_text(wait));
  return said;
}

}  // namespace opgrade::service
