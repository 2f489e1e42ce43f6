/// Computes lateness and its price. All functions are pure: they depend on moments, a zone and the
/// rule.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "grader/course/folder/time_zone.hpp"

namespace opgrade::course {

struct LateRule {
  enum class Price { percent_of_earned, percent_of_maximum, points };
  Price price = Price::percent_of_earned;
  double a_day = 0;
  int days = 0;  ///< late days that are accepted; 0: nothing late is
};

struct Due {
  Moment deadline;  ///< the extension is included
  std::chrono::seconds grace{0};
  int late_days = 0;  ///< see LateRule::days
  int slip_days = 0;  ///< slip days that are left; they are used before late days, and cost nothing
};

struct Lateness {
  bool accepted = true;           ///< false: after the last day
  int days = 0;                   ///< late days, for which the rule charges
  int slip_days = 0;              ///< slip days that this submission uses
  std::chrono::seconds after{0};  ///< time after the deadline; 0: in time
};

/// A late day ends at the wall-clock time of the deadline, so it has 23 or 25 hours if the clocks
/// change. A moment equal to the deadline is in time. The grace period extends the deadline and the
/// end of each late day; after it the whole day counts.
Lateness lateness(const TimeZone& zone, const Due& due, Moment handed_in);

/// The last moment that is accepted.
Moment last_moment(const TimeZone& zone, const Due& due);

/// The points that are left after `days` late days, never below 0. `maximum` is the assignment's.
double points_after(const LateRule& rule, int days, double earned, double maximum);

/// "-20 % (2 days late)"; empty if nothing is taken off.
std::string price_text(const LateRule& rule, int days);

/// "in time", "3 h 5 min after the deadline, 1 day late".
std::string lateness_text(const Lateness& late);

/// "up to 3 late days, -10 % of the points for each; a later submission does not count".
/// `slip_days`: the number that each student of the course has in a term.
std::string rule_text(const LateRule& rule, int slip_days = 0);

/// Marks which of `times`, which are sorted, are within the first `a_day` of their calendar day. If
/// `a_day` is 0, all are.
std::vector<bool> within_daily_limit(const TimeZone& zone, std::span<const Moment> times,
                                     int a_day);

}  // namespace opgrade::course
