/// The number of submissions that an owner may still hand in: pure functions.
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
  std::chrono::seconds interval{0};  ///< between two submissions of an owner
};

/// What is left of a wait that began at `begin`: nothing where that is after `now`, since the clock
/// was set back.
inline std::chrono::seconds left_of(course::Moment begin, std::chrono::seconds length,
                                    course::Moment now) {
  return begin > now ? std::chrono::seconds(0)
                     : std::max(begin + length - now, std::chrono::seconds(0));
}

/// An answer to "may this owner hand in now?", shown with every answer of the service.
struct Allowance {
  Limits limits;
  std::optional<int> left_today;  ///< none: there is no daily limit
  std::chrono::seconds wait{0};   ///< until the next submission is taken; 0: now
  std::string_view unit =
      "submission";  ///< what is counted: practice runs have limits of their own

  bool allowed() const { return wait.count() == 0; }
  /// "3 submissions left today; the next one in 20 s"
  std::string text() const;
  /// Where it is not allowed: "the limit is one submission every 30 s; the next one in 20 s"
  std::string refusal() const;
};

/// `times` are the owner's submissions that count against the limits: not those that a fault of the
/// grader left stuck. The ones `withdrawn` before they ran count for the interval; of a day's, as
/// many as the limit are free. Else a loop of both would fill the queue's tables. A time after
/// `now` costs no wait: the clock was set back since.
Allowance allowance(const course::TimeZone& zone, const std::vector<course::Moment>& times,
                    const Limits& limits, course::Moment now,
                    const std::vector<course::Moment>& withdrawn = {});

/// The longest time of a practice run on devices of this machine, over all its parts: `gpu_time`,
/// and besides it the time of a tool that runs after the cases of each of these GPU stages. Nothing
/// for other runs: the emulated device and a cluster have limits of their own.
std::optional<std::chrono::seconds> longest_run(const course::Assignment& practice,
                                                const ToolWish& tool, int gpu_stages);

/// True if an interrupted run goes on after its finished cases. A tool watches the run as a whole,
/// so a run under one begins anew.
bool goes_on_after_cases(const ToolWish& tool);

/// The timed calls that a case of a practice run has at most. Nothing is decided by its times:
/// three show the spread, and one is enough beside a tool.
int most_timed_calls(const ToolWish& tool);

}  // namespace opgrade::service
