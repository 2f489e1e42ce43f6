/// Computes how many submissions an owner may still hand in, and how long runs may take. All
/// functions are pure.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/course/folder/course_config.hpp"
#include "grader/course/folder/time_zone.hpp"

namespace opgrade::service {

struct Limits {
  int a_day = 0;                     ///< submissions a calendar day; 0: any number
  std::chrono::seconds interval{0};  ///< least time between two submissions of an owner
};

/// What is left of a wait that began at `begin`: 0 if `begin` is after `now`, because then the
/// clock was set back.
inline std::chrono::seconds left_of(course::Moment begin, std::chrono::seconds length,
                                    course::Moment now) {
  return begin > now ? std::chrono::seconds(0)
                     : std::max(begin + length - now, std::chrono::seconds(0));
}

/// Whether an owner may hand in now. The service's answers show it.
struct Allowance {
  Limits limits;
  std::optional<int> left_today;  ///< nullopt: there is no daily limit
  std::chrono::seconds wait{0};   ///< time until the next submission is accepted; 0: now
  /// What the limits count, because practice runs have limits of their own.
  std::string_view unit = "submission";

  bool allowed() const { return wait.count() == 0; }
  /// "3 submissions left today; the next one in 20 s"
  std::string text() const;
  /// If it is not allowed: "the limit is one submission every 30 s; the next one in 20 s"
  std::string refusal() const;
};

/// `times` are those of the owner's submissions that count against the limits; submissions that a
/// grader fault left stuck do not. The submissions that were `withdrawn` before they ran count for
/// the interval. For the daily limit, as many of a day's withdrawn ones as the limit are free, but
/// no more, because a loop of submitting and withdrawing would fill the queue's tables. A time
/// after `now` causes no wait, because the clock was set back since then.
Allowance allowance(const course::TimeZone& zone, const std::vector<course::Moment>& times,
                    const Limits& limits, course::Moment now,
                    const std::vector<course::Moment>& withdrawn = {});

/// The longest time of a practice run on devices of this machine, over all its parts: `gpu_time`,
/// plus the time of a tool that runs after the cases of each of these GPU stages. nullopt for other
/// runs: the emulated device and a cluster have limits of their own.
std::optional<std::chrono::seconds> longest_run(const course::Assignment& practice,
                                                const ToolWish& tool, int gpu_stages);

/// True if an interrupted run goes on after its finished cases. A tool watches the run as a whole,
/// so a run under a tool starts again from its first case.
bool goes_on_after_cases(const ToolWish& tool);

/// The most timed calls in a case of a practice run. Its times decide nothing: three calls show the
/// spread, and with a tool one is enough.
int most_timed_calls(const ToolWish& tool);

}  // namespace opgrade::service
