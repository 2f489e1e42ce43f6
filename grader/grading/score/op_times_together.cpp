#include <algorithm>
#include <cmath>
#include <string>
#include <variant>
#include <vector>

#include "grader/base/core/case_time.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/grading/score/time_in_bounds.hpp"

namespace opgrade {
namespace {

/// A case of the rule: its time, or why there is none.
struct Member {
  std::string name;
  double size = 0;
  std::variant<TimeInBounds, NoTimeInBounds> found;

  const TimeInBounds* timed() const { return std::get_if<TimeInBounds>(&found); }
  const NoTimeInBounds* without() const { return std::get_if<NoTimeInBounds>(&found); }
};
using Members = std::vector<Member>;

/// The `zero` bound as reasons tell it: 0 stands for a bound that no time reaches.
double told_zero(const OpTimeRule& rule, double zero_ms) {
  return rule.zero == kNever ? 0 : zero_ms;
}

bool tells_speed(const OpTimeRule& rule) {
  return rule.between == OpTimeRule::Between::speed && rule.full != rule.zero;
}

/// A time below 1 us, the step of all times, counts as 1 us, so that its logarithm is finite.
double log_of_time(double ms) { return std::log(std::max(ms, 1e-3)); }

double combined(Together together, const std::vector<double>& times) {
  double sum = 0;
  const bool sums = together == Together::sum;
  for (const double ms : times) sum += sums ? ms : log_of_time(ms);
  return sums ? sum : std::exp(sum / static_cast<double>(times.size()));
}

/// A bound in ms holds for all cases together; other bounds depend on the case.
double combined_bound(Together together, const TimeBound& bound, const std::vector<double>& times) {
  return bound.unit == TimeBound::Unit::ms ? bound.value : combined(together, times);
}

/// Requires a time for every case.
void score_one_time(const OpTimeRule& rule, const Members& members, PointItem& item) {
  std::vector<double> times, full, zero;
  why::OpTimesTogether why{.together = rule.together, .by_speed = tells_speed(rule)};
  for (const Member& member : members) {
    times.push_back(member.timed()->ms);
    full.push_back(member.timed()->full_ms);
    zero.push_back(member.timed()->zero_ms);
    why.cases.push_back({.name = member.name, .ms = times.back()});
  }
  why.ms = graded_time(combined(rule.together, times), rule.step);
  why.full_ms = combined_bound(rule.together, rule.full, full);
  const double zero_ms = combined_bound(rule.together, rule.zero, zero);
  why.zero_ms = told_zero(rule, zero_ms);
  why.share = op_time_share(why.ms, why.full_ms, zero_ms, rule.between);
  item.points = rule.points * why.share;
  item.reason = std::move(why);
}

/// A case without a time has no share.
void score_shares(const OpTimeRule& rule, const Members& members, PointItem& item) {
  double sum = 0, least = 1;
  why::OpTimesTogether why{.together = rule.together, .by_speed = tells_speed(rule)};
  for (const Member& member : members) {
    why::TimeOfCase told{.name = member.name, .share = 0};
    if (const TimeInBounds* const timed = member.timed()) {
      told.ms = graded_time(timed->ms, rule.step);
      told.full_ms = timed->full_ms;
      told.zero_ms = told_zero(rule, timed->zero_ms);
      told.share = op_time_share(*told.ms, timed->full_ms, timed->zero_ms, rule.between);
    }
    sum += *told.share;
    least = std::min(least, *told.share);
    why.cases.push_back(std::move(told));
  }
  const bool worst = rule.together == Together::worst;
  why.share = worst ? least : sum / static_cast<double>(members.size());
  item.points = rule.points * why.share;
  item.reason = std::move(why);
}

/// The slope of the line of least squares through the logarithms of sizes and times.
double log_slope(const Members& members) {
  double x_mean = 0, xy = 0, xx = 0;
  for (const Member& member : members)
    x_mean += std::log(member.size) / static_cast<double>(members.size());
  for (const Member& member : members) {
    const double x = std::log(member.size) - x_mean;
    xy += x * log_of_time(member.timed()->ms);
    xx += x * x;
  }
  return xy / xx;
}

/// Requires a time for every case.
void score_slope(const OpTimeRule& rule, const Members& members, PointItem& item) {
  why::OpTimeSlope why{
      .over = rule.slope.over, .full_slope = rule.slope.full, .zero_slope = rule.slope.zero};
  for (const Member& member : members) {
    const auto& [ms, below_ms, same] = *member.timed();
    const double time = graded_time(ms, rule.step);
    if (time >= below_ms) {
      item.reason = why::SlopeNotCounted{.name = member.name, .ms = time, .below_ms = below_ms};
      return;
    }
    why.cases.push_back({.name = member.name, .ms = ms});
  }
  why.slope = graded_time(std::max(0., log_slope(members)), rule.step);
  why.share = op_time_share(why.slope, rule.slope.full, rule.slope.zero, {});
  item.points = rule.points * why.share;
  item.reason = std::move(why);
}

}  // namespace

PointItem score_op_times(const OpTimeRule& rule, const std::vector<CaseOfRule>& cases,
                         Device ran_on) {
  PointItem item{.name = "Op Time " + rule_name(rule), .max_points = rule.points};
  Members members;
  const std::vector<OpTimeRule> rules = rule.by_case();
  for (std::size_t i = 0; i < cases.size(); ++i)
    members.push_back({rules[i].model, static_cast<double>(cases[i].size),
                       time_in_bounds(rules[i], *cases[i].report, ran_on, cases[i].units)});
  const bool by_slope = !rule.slope.over.empty();
  const bool each_has_a_share = rule.together == Together::each && !by_slope;
  const auto is_open = [](const Member& m) { return m.without() != nullptr && m.without()->open; };
  const auto is_lost = [](const Member& m) { return m.without() != nullptr && !m.without()->open; };
  const auto open = std::ranges::find_if(members, is_open);
  const auto lost = std::ranges::find_if(members, is_lost);
  // A lost case decides by itself, unless each case has a share.
  if (lost != members.end() && !each_has_a_share) {
    item.reason = lost->without()->reason;
    item.reason.about = lost->name;
  } else if (open != members.end()) {
    item.open = true;
    item.reason = open->without()->reason;
    item.reason.about = open->name;
  } else if (by_slope) {
    score_slope(rule, members, item);
  } else if (rule.together == Together::sum || rule.together == Together::geometric_mean) {
    score_one_time(rule, members, item);
  } else {
    score_shares(rule, members, item);
  }
  return item;
}

}  // namespace opgrade
