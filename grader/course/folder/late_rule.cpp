#include "grader/course/folder/late_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "grader/base/core/counted.hpp"

namespace opgrade::course {
namespace {

Moment end_of_late_day(const TimeZone& zone, const Due& due, int day) {
  // The deadline itself may lie in the hour that comes twice, and its wall-clock time does not say
  // in which of the two.
  if (day == 0) return due.deadline;
  return zone.moment(zone.local(due.deadline) + std::chrono::days(day));
}

const char* unit_of(const LateRule& rule) {
  return rule.price == LateRule::Price::percent_of_earned    ? " % of the points"
         : rule.price == LateRule::Price::percent_of_maximum ? " % of the maximum"
                                                             : " points";
}

}  // namespace

Lateness lateness(const TimeZone& zone, const Due& due, Moment handed_in) {
  Lateness late;
  late.after = std::max(handed_in - due.deadline, std::chrono::seconds(0));
  for (int day = 0; day <= due.slip_days + due.late_days; ++day) {
    late.slip_days = std::min(day, due.slip_days);
    late.days = day - late.slip_days;
    if (handed_in <= end_of_late_day(zone, due, day) + due.grace) return late;
  }
  late.accepted = false;
  return late;
}

Moment last_moment(const TimeZone& zone, const Due& due) {
  return end_of_late_day(zone, due, due.slip_days + due.late_days) + due.grace;
}

double points_after(const LateRule& rule, int days, double earned, double maximum) {
  const double unit = rule.price == LateRule::Price::percent_of_earned    ? earned / 100
                      : rule.price == LateRule::Price::percent_of_maximum ? maximum / 100
                                                                          : 1;
  return std::max(earned - rule.a_day * days * unit, 0.0);
}

std::string price_text(const LateRule& rule, int days) {
  if (days == 0 || rule.a_day == 0) return "";
  return fmt::format("-{:g}{} ({} late)", rule.a_day * days, unit_of(rule), counted(days, "day"));
}

std::string lateness_text(const Lateness& late) {
  if (late.after.count() == 0) return "in time";
  const std::string after = span_text(late.after) + " after the deadline";
  if (!late.accepted) return after;
  if (late.days + late.slip_days == 0) return after + ", within the grace period";
  return after + (late.days > 0 ? fmt::format(", {} late", counted(late.days, "day")) : "") +
         (late.slip_days > 0 ? ", " + counted(late.slip_days, "slip day") : "");
}

std::string rule_text(const LateRule& rule, int slip_days) {
  if (slip_days > 0)
    return fmt::format(
        "{} of each student in a term; {}", counted(slip_days, "slip day"),
        rule.days == 0 ? "nothing later is accepted" : "after that " + rule_text(rule));
  if (rule.days == 0) return "nothing late is accepted";
  const std::string price = rule.a_day == 0 ? ""
                                            : fmt::format(", -{:g}{}{}", rule.a_day, unit_of(rule),
                                                          rule.days > 1 ? " for each" : "");
  return fmt::format("up to {}{}; a later submission does not count",
                     counted(rule.days, "late day"), price);
}

std::vector<bool> within_daily_limit(const TimeZone& zone, std::span<const Moment> times,
                                     int a_day) {
  std::map<std::chrono::local_days, int> count;
  std::vector<bool> within;
  for (const Moment time : times) {
    const auto day = std::chrono::floor<std::chrono::days>(zone.local(time));
    within.push_back(a_day == 0 || ++count[day] <= a_day);
  }
  return within;
}

}  // namespace opgrade::course
