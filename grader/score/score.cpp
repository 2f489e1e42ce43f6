#include "grader/score/score.hpp"

#include <algorithm>

#include "grader/core/case_time.hpp"
#include "grader/core/finding_kind.hpp"

namespace opgrade {

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

PointItem score_op_time(const OpTimeRule& rule, const CaseReport& report, Device ran_on,
                        std::optional<double> reference_ms) {
  PointItem item{.name = "Op Time " + case_name(rule.model, rule.batch), .max_points = rule.points};
  if (is_undecided(report.outcome) || report.outcome == Outcome::not_credible) {
    item.open = true;
    item.reason = report.reason;
    return item;
  }
  if (report.outcome != Outcome::passed) {
    item.reason = why::NotFast{report.outcome};
    return item;
  }
  if (ran_on == Device::emulated) {
    item.open = true;
    item.reason = why::NoEmulatedTime{};
    return item;
  }
  const auto sum = case_time(report, rule.take);
  if (!sum && std::ranges::any_of(report.calls, &CallReport::too_slow)) {
    item.reason = report.reason;
    return item;
  }
  if (!sum) {
    item.open = true;
    item.reason = why::NoTime{};
    return item;
  }
  const auto in_ms = [&](const TimeBound& bound) {
    return bound.times_reference ? bound.value * reference_ms.value_or(0) : bound.value;
  };
  const bool relative = rule.full.times_reference || rule.zero.times_reference;
  if (relative && !reference_ms) {
    item.open = true;
    item.reason = why::NoReferenceTime{};
    return item;
  }
  const double full = in_ms(rule.full);
  const double zero = in_ms(rule.zero);
  const double time = graded_time(*sum, rule.step);
  double share = 0;
  if (time <= full) {
    share = 1;
  } else if (time < zero) {
    share = (zero - time) / (zero - full);
  }
  item.points = rule.points * share;
  item.reason = why::OpTime{.ms = time,
                            .full_ms = full,
                            .zero_ms = zero,
                            .reference_ms = relative ? reference_ms : std::nullopt};
  return item;
}

namespace {

/// The order in which outcomes decide the grade's; of equal ones the first does.
int severity(Outcome outcome) {
  if (outcome == Outcome::passed || outcome == Outcome::not_run) return 0;
  // A time that is in doubt is the least that can be wrong.
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
  const auto add = [&](const PointItem& item) {
    grade.points += item.points;
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
  return ran;
}

/// The first thing that went wrong, in the order of the stages, is what a student should mend.
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

/// Of a grade that passed: the first mistake that costs nothing.
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
  // Without a mark, or with chosen cases that have no points, only right or wrong can be asked. A
  // right case without a credible time is right.
  if (pass_mark == 0)
    grade.passed = grade.outcome == Outcome::passed || grade.outcome == Outcome::not_credible;
  if (ran.fault) {
    grade.outcome = Outcome::grader_fault;
    grade.passed = false;
  }
}

}  // namespace opgrade
