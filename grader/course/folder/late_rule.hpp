/// Lateness and its price: pure functions of moments, a zone and the rule.
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
  int days = 0;  ///< accepted after the deadline; 0: nothing late is accepted
};

struct Due {
  Moment deadline;  ///< with the extension
  std::chrono::seconds grace{0};
  int late_days = 0;  ///< as LateRule::days
  int slip_days = 0;  ///< that are left: they come first, and cost nothing
};

struct Lateness {
  bool accepted = true;           ///< false: after the last day
  int days = 0;                   ///< what the rule charges
  int slip_days = 0;              ///< that are used
  std::chrono::seconds after{0};  ///< the deadline; 0 when in time
};

/// A late day ends at the wall-clock time of the deadline, so it has 23 or 25 hours where the
/// clocks change. A moment equal to the deadline is in time. The grace period extends the deadline
/// and the end of each late day; beyond it the whole day counts.
Lateness lateness(const TimeZone& zone, const Due& due, Moment handed_in);

/// The last moment that is accepted.
Moment last_moment(const TimeZone& zone, const Due& due);

/// Never below 0. `maximum` is the assignment's.
double points_after(const LateRule& rule, int days, double earned, double maximum);

/// "-20 % (2 days late)"; empty when nothing is taken off.
std::string price_text(const LateRule& rule, int days);

/// "in time", "3 h 5 min after the deadline, 1 day late".
std::string lateness_text(const Lateness& late);

/// "up to 3 late days, -10 % of the points for each; a later submission does not count".
/// `slip_days`: what each student of the course has in a term.
std::string rule_text(const LateRule& rule, int slip_days = 0);

/// Which of `times`, in the order of time, are within the first `a_day` of their calendar day.
/// 0: all are.
std::vector<bool> within_daily_limit(const TimeZone& zone, std::span<const Moment> times,
                                     int a_day);

}  // namespace opgrade::course
