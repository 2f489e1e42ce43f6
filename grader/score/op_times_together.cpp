#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "grader/core/case_time.hpp"
#include "grader/score/score.hpp"
#include "grader/score/time_in_bounds.hpp"

namespace opgrade {
namespace {

using Together = OpTimeRule::Together;

/// A case of the rule: its time, or why there is none.
struct Member {
  std::string name;
  std::variant<TimeInBounds, NoTimeInBounds> found;

  const TimeInBounds* timed() const { return std::get_if<TimeInBounds>(&found); }
  const NoTimeInBounds* without() const { return std::get_if<NoTimeInBounds>(&found); }
};

std::string bounds_text(const OpTimeRule& rule, double full_ms, double zero_ms) {
  return fmt::format("full up to {:.4g} ms{}", full_ms,
                     rule.zero == kNever ? "" : fmt::format(", none from {:.4g} ms", zero_ms));
}

const char* between_text(const OpTimeRule& rule) {
  return rule.between == OpTimeRule::Between::speed && rule.full != rule.zero
             ? ", between both by speed"
             : "";
}

double combined(Together together, const std::vector<double>& times) {
  double sum = 0;
  const bool sums = together == Together::sum;
  for (const double ms : times) sum += sums ? ms : std::log(ms);
  return sums ? sum : std::exp(sum / static_cast<double>(times.size()));
}

/// A bound in ms is one for all cases together; others depend on the case.
double combined_bound(Together together, const TimeBound& bound, const std::vector<double>& times) {
  return bound.unit == TimeBound::Unit::ms ? bound.value : combined(together, times);
}

/// All cases have times.
void score_one_time(const OpTimeRule& rule, const std::vector<Member>& entries, PointItem& item) {
  std::vector<double> times, full, zero;
  std::string list;
  for (const Member& entry : entries) {
    times.push_back(entry.timed()->ms);
    full.push_back(entry.timed()->full_ms);
    zero.push_back(entry.timed()->zero_ms);
    list += fmt::format("{}{} {:.4g} ms", list.empty() ? "" : ", ", entry.name, times.back());
  }
  const double time = graded_time(combined(rule.together, times), rule.step);
  const double full_ms = combined_bound(rule.together, rule.full, full);
  const double zero_ms = combined_bound(rule.together, rule.zero, zero);
  const double share = op_time_share(time, full_ms, zero_ms, rule.between);
  item.points = rule.points * share;
  item.reason =
      text_reason(fmt::format("{} of the Op Times ({}) {:.4g} ms: {}{}; share {:.3g}",
                              rule.together == Together::sum ? "sum" : "geometric mean", list, time,
                              bounds_text(rule, full_ms, zero_ms), between_text(rule), share));
}

/// A case without a time has no share.
void score_shares(const OpTimeRule& rule, const std::vector<Member>& entries, PointItem& item) {
  double sum = 0, least = 1;
  std::string list;
  for (const Member& entry : entries) {
    double share = 0;
    std::string why = "not right or too slow";
    if (const TimeInBounds* const timed = entry.timed()) {
      const double time = graded_time(timed->ms, rule.step);
      share = op_time_share(time, timed->full_ms, timed->zero_ms, rule.between);
      why = fmt::format("{:.4g} ms, {}", time, bounds_text(rule, timed->full_ms, timed->zero_ms));
    }
    list += fmt::format("{}{} {:.3g} ({})", list.empty() ? "" : ", ", entry.name, share, why);
    sum += share;
    least = std::min(least, share);
  }
  const bool worst = rule.together == Together::worst;
  const double share = worst ? least : sum / static_cast<double>(entries.size());
  item.points = rule.points * share;
  item.reason = text_reason(fmt::format("{} {:.3g}: {}{}",
                                        worst ? "the worst case's share" : "mean of the shares",
                                        share, list, between_text(rule)));
}

}  // namespace

PointItem score_op_times(const OpTimeRule& rule, const std::vector<CaseOfRule>& cases,
                         Device ran_on) {
  PointItem item{.name = "Op Time " + rule_name(rule), .max_points = rule.points};
  std::vector<Member> entries;
  const std::vector<OpTimeRule> rules = rule.by_case();
  for (std::size_t i = 0; i < cases.size(); ++i)
    entries.push_back(
        {rules[i].model, time_in_bounds(rules[i], *cases[i].report, ran_on, cases[i].units)});
  const auto is_open = [](const Member& e) { return e.without() != nullptr && e.without()->open; };
  const auto is_lost = [](const Member& e) { return e.without() != nullptr && !e.without()->open; };
  const auto open = std::ranges::find_if(entries, is_open);
  const auto lost = std::ranges::find_if(entries, is_lost);
  // A lost case decides by itself, unless each case has a share.
  if (lost != entries.end() && rule.together != Together::each) {
    item.reason = lost->without()->reason;
    item.reason.about = lost->name;
  } else if (open != entries.end()) {
    item.open = true;
    item.reason = open->without()->reason;
    item.reason.about = open->name;
  } else if (rule.together == Together::sum || rule.together == Together::geometric_mean) {
    score_one_time(rule, entries, item);
  } else {
    score_shares(rule, entries, item);
  }
  return item;
}

}  // namespace opgrade
