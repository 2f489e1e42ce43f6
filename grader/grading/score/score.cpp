#include "grader/grading/score/score.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "grader/base/core/case_time.hpp"
#include "grader/base/core/finding_kind.hpp"
#include "grader/grading/score/time_in_bounds.hpp"
#include "grader/task/config/time_bound.hpp"

namespace opgrade {
namespace {

std::string rate_text(const TimeBound& bound) { return bound.is_rate() ? bound_text(bound) : ""; }

}  // namespace

PointItem score_case(double points, const CaseReport& report, Device ran_on, bool accept_emulated) {
  PointItem item{.name = "right outputs", .max_points = points};
  if (is_undecided(report.outcome)) {
    item.open = true;
    item.reason = report.reason;
  } else if (ran_on == Device::emulated && !accept_emulated && report.outcome == Outcome::passed) {
    item.open = true;
    item.reason = why::EmulatedOnly{};
  } else if (report.outcome == Outcome::passed || report.outcome == Outcome::not_credible) {
    // Doubt about the time costs no points for correctness.
    item.points = points;
    item.reason = warning_of(report) != nullptr ? report.reason : why::RightOutput{};
  } else {
    item.reason = report.reason;
  }
  return item;
}

double op_time_share(double ms, double full_ms, double zero_ms, OpTimeRule::Between between) {
  if (ms <= full_ms) return 1;
  if (!(ms < zero_ms)) return 0;  // also if `ms` is no number
  if (between == OpTimeRule::Between::time) return (zero_ms - ms) / (zero_ms - full_ms);
  return (1 / ms - 1 / zero_ms) / (1 / full_ms - 1 / zero_ms);
}

namespace {

std::string points_by_slope(const OpTimeRule& rule, int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const double at = rule.slope.full + (rule.slope.zero - rule.slope.full) * i / (count - 1);
    const double share = op_time_share(at, rule.slope.full, rule.slope.zero, {});
    text += fmt::format("{}slope {:.4g} {:.3g}", text.empty() ? "" : ", ", at, rule.points * share);
  }
  return text;
}

}  // namespace

std::string points_by_time(const OpTimeRule& rule) {
  constexpr int kTimes = 10;
  constexpr double kLongest = 10;  // times `full`, if there is no `zero`
  if (!rule.slope.over.empty()) return points_by_slope(rule, kTimes);
  const bool never = rule.zero == kNever;
  if (!never && rule.zero.unit != rule.full.unit) return "";
  if (rule.zero == rule.full) return "";
  // In multiples of the time `full`.
  const double last = never                 ? kLongest
                      : rule.full.is_rate() ? rule.full.value / rule.zero.value
                                            : rule.zero.value / rule.full.value;
  std::string text;
  for (int i = 0; i < kTimes; ++i) {
    const double time = 1 + (last - 1) * i / (kTimes - 1);
    TimeBound at = rule.full;
    at.value = rule.full.is_rate() ? at.value / time : at.value * time;
    const double zero = never ? rule.zero.value : last;
    text += fmt::format("{}{:.4g}{} {:.3g}", text.empty() ? "" : ", ", at.value, unit_text(at.unit),
                        rule.points * op_time_share(time, 1, zero, rule.between));
  }
  return text;
}

std::string rule_name(const OpTimeRule& rule) {
  if (rule.cases.empty()) return case_name(rule.model, rule.batch);
  return fmt::format("{} together", fmt::join(rule.cases, ", "));
}

PointItem score_op_time(const OpTimeRule& rule, const CaseReport& report, Device ran_on,
                        const BoundUnits& units) {
  PointItem item{.name = "Op Time " + rule_name(rule), .max_points = rule.points};
  const auto found = time_in_bounds(rule, report, ran_on, units);
  if (const auto* const none = std::get_if<NoTimeInBounds>(&found)) {
    item.open = none->open;
    item.reason = none->reason;
    return item;
  }
  const auto& [ms, full_ms, zero_ms] = std::get<TimeInBounds>(found);
  const double time = graded_time(ms, rule.step);
  item.points = rule.points * op_time_share(time, full_ms, zero_ms, rule.between);
  item.reason = why::OpTime{
      .ms = time,
      .full_ms = full_ms,
      .zero_ms = rule.zero == kNever ? 0 : zero_ms,
      .reference_ms = rule.needs(TimeBound::Unit::reference) ? units.reference_ms : std::nullopt,
      .full_rate = rate_text(rule.full),
      .zero_rate = rate_text(rule.zero),
      .by_speed = rule.between == OpTimeRule::Between::speed,
      .serial_ms = rule.needs(TimeBound::Unit::serial) ? units.serial_ms : std::nullopt};
  return item;
}

namespace {

/// The outcome with the highest severity decides the grade's; among equal ones the first does.
int severity(Outcome outcome) {
  if (outcome == Outcome::passed || outcome == Outcome::not_run) return 0;
  // A time in doubt is the mildest mistake.
  if (outcome == Outcome::not_credible) return 1;
  return outcome == Outcome::not_emulated ? 2 : 3;
}

/// What ran, of all cases.
struct Ran {
  bool fault = false;
  bool any = false;
  bool all_right = true;  ///< the advice included
};

/// Adds up the points.
Ran add_up(Grade& grade) {
  Ran ran;
  grade.points = grade.max_points = grade.open_points = 0;
  double late = 0;
  bool has_late = false;
  const auto add = [&](const PointItem& item) {
    grade.points += item.points;
    late += item.late_points.value_or(item.points);
    has_late |= item.late_points.has_value();
    grade.max_points += item.max_points;
    if (item.open) grade.open_points += item.max_points;
  };
  for (const auto& stage : grade.stages) {
    for (const auto& c : stage.cases) {
      std::ranges::for_each(c.points, add);
      ran.fault |= c.outcome == Outcome::grader_fault && !c.advice;
      ran.any |= c.outcome != Outcome::not_run && c.outcome != Outcome::grader_fault;
      ran.all_right &= c.outcome == Outcome::passed || c.outcome == Outcome::not_run;
    }
    std::ranges::for_each(stage.points, add);
  }
  grade.late_points = has_late ? std::optional(late) : std::nullopt;
  return ran;
}

/// Names the first thing that went wrong, in the order of the stages, because students should fix
/// that first.
void name_first_mistake(Grade& grade) {
  const auto note = [&](Outcome outcome, const std::string& about, const Reason& reason) {
    if (severity(outcome) <= severity(grade.outcome)) return;
    grade.outcome = outcome;
    grade.reason = reason;
    grade.reason.about = about;
  };
  for (const auto& stage : grade.stages) {
    note(stage.build.outcome, stage.title, stage.build.reason);
    for (const auto& c : stage.cases) {
      if (c.advice) continue;
      const Reason hidden = why::HiddenCase{c.outcome};
      note(c.outcome, c.hidden ? "" : c.id, c.hidden ? hidden : c.reason);
    }
  }
}

/// For a grade that passed: names the first mistake that costs nothing.
void name_first_warning(Grade& grade) {
  for (const auto& stage : grade.stages) {
    const auto warned = std::ranges::find_if(stage.cases, [](const CaseReport& c) {
      return !c.advice && !c.hidden && warning_of(c) != nullptr;
    });
    if (warned == stage.cases.end()) continue;
    grade.reason = warned->reason;
    grade.reason.about = warned->id;
    return;
  }
}

}  // namespace

void finish_grade(Grade& grade, double pass_mark, std::optional<double> of_points) {
  const Ran ran = add_up(grade);
  if (of_points && *of_points > grade.max_points) pass_mark *= grade.max_points / *of_points;
  grade.pass_mark = pass_mark;
  // A sum of decimal fractions may miss the mark by a rounding error; no student should.
  grade.passed = grade.points >= pass_mark - 1e-9;

  grade.outcome = ran.any ? Outcome::passed : Outcome::not_run;
  grade.reason = why::CountedRight{};
  if (!ran.any)
    grade.reason = why::NothingRan{};
  else if (ran.all_right)
    grade.reason = why::AllRight{};
  name_first_mistake(grade);
  if (grade.outcome == Outcome::passed) name_first_warning(grade);
  // Without a mark, or if the chosen cases have no points, a grade can only be right or wrong. A
  // right case without a credible time is right.
  if (pass_mark == 0)
    grade.passed = grade.outcome == Outcome::passed || grade.outcome == Outcome::not_credible;
  if (ran.fault) {
    grade.outcome = Outcome::grader_fault;
    grade.passed = false;
  }
}

}  // namespace opgrade
