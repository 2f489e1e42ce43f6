#include "grader/service/queue/limits.hpp"

#include <fmt/format.h>

#include "grader/base/core/counted.hpp"

namespace opgrade::service {

using course::Moment;

Allowance allowance(const course::TimeZone& zone, const std::vector<Moment>& times,
                    const Limits& limits, Moment now, const std::vector<Moment>& withdrawn) {
  Allowance answer{.limits = limits};
  if (limits.interval.count() > 0) {
    for (const auto* all : {&times, &withdrawn})
      for (const Moment time : *all)
        answer.wait = std::max(answer.wait, left_of(time, limits.interval, now));
  }
  if (limits.a_day > 0) {
    const auto day = [&](Moment time) {
      return std::chrono::floor<std::chrono::days>(zone.local(time));
    };
    const auto today = [&](const std::vector<Moment>& all) {
      return static_cast<int>(std::ranges::count(all, day(now), day));
    };
    const int charged = std::max(0, today(withdrawn) - limits.a_day);
    answer.left_today = std::max(0, limits.a_day - today(times) - charged);
    if (*answer.left_today == 0) {
      const auto midnight = zone.moment(course::LocalTime(day(now) + std::chrono::days(1)));
      answer.wait = std::max(answer.wait, midnight - now);
    }
  }
  return answer;
}

std::string Allowance::text() const {
  std::string said = left_today ? counted(*left_today, unit) + " left today" : "no daily limit";
  if (wait.count() > 0) said += fmt::format("; the next one in {}", course::span_text(wait));
  return said;
}

std::string Allowance::refusal() const {
  const std::string limit =
      left_today == 0 ? counted(limits.a_day, unit) + " a day"
                      : fmt::format("one {} every {}", unit, course::span_text(limits.interval));
  return fmt::format("the limit is {}; the next one in {}", limit, course::span_text(wait));
}

std::optional<std::chrono::seconds> longest_run(const course::Assignment& practice,
                                                const ToolWish& tool, int gpu_stages) {
  if (!practice.practice.on_devices || practice.on_slurm) return std::nullopt;
  const bool comes_after = tool.tool != nullptr && tool.tool->comes_after_cases();
  return practice.practice.gpu_time +
         (comes_after ? gpu_stages * practice.practice.tool_time : std::chrono::seconds(0));
}

bool goes_on_after_cases(const ToolWish& tool) { return tool.tool == nullptr; }

int most_timed_calls(const ToolWish& tool) {
  constexpr int kWithSpread = 3;
  return tool.tool == nullptr ? kWithSpread : 1;
}

}  // namespace opgrade::service
