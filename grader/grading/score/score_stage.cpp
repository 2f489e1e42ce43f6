#include "grader/grading/score/score_stage.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "grader/base/core/case_time.hpp"
#include "grader/grading/score/score_counts.hpp"

namespace opgrade {
namespace {

/// The case that a rule names; null if the case was not chosen.
CaseReport* named_by(const auto& rule, StageReport& report) {
  const auto found =
      std::ranges::find_if(report.cases, [&](const CaseReport& c) { return applies_to(rule, c); });
  return found != report.cases.end() ? &*found : nullptr;
}

/// Notes that the case breaks a rule, or may break it. What is decided holds over what is open.
void note_broken(CaseReport& c, const Reason& why, bool open) {
  if (!c.broken_rule || (c.broken_rule->open && !open)) c.broken_rule = BrokenRule{why, open};
}

void withhold(PointItem& item, const BrokenRule& rule) {
  // Staff do not decide on points that are lost already.
  if (rule.open && item.points <= 0 && !item.open) return;
  item.points = 0;
  item.late_points = std::nullopt;
  item.open = rule.open;
  item.reason = rule.reason;
}

/// Takes the points that each case with a broken rule decides: its own, and those of the stage's
/// rules on its Op Times, also together with other cases.
void withhold_points(const StageConfig& stage, StageReport& report) {
  for (CaseReport& c : report.cases) {
    if (!c.broken_rule) continue;
    for (PointItem& own : c.points) withhold(own, *c.broken_rule);
    for (const OpTimeRule& rule : stage.op_times) {
      const auto by_case = rule.by_case();
      if (std::ranges::none_of(by_case, [&](const auto& one) { return applies_to(one, c); }))
        continue;
      for (PointItem& item : report.points)
        if (item.name == "Op Time " + rule_name(rule)) withhold(item, *c.broken_rule);
    }
  }
}

void apply(const CountRule& rule, CaseReport& c, bool accept_emulated, StageReport& report) {
  PointItem item = score_counts(rule, c, accept_emulated);
  item.case_id = c.id;
  if (rule.points > 0) {
    report.points.push_back(std::move(item));
  } else if (item.open || !item.reason.is<why::CountKept>()) {
    note_broken(c, item.reason, item.open);
  }
}

/// `rule` names the case `c` alone.
BoundUnits units_of(const OpTimeRule& rule, const CaseReport& c, Device device,
                    const BoundSources& sources) {
  BoundUnits units;
  if (!case_time(c, rule.take)) return units;
  if (c.outcome == Outcome::passed && device != Device::emulated) {
    if (rule.needs(TimeBound::Unit::reference)) units.reference_ms = sources.reference(rule);
    if (rule.needs(TimeBound::Unit::serial)) units.serial_ms = sources.serial(rule);
    if (rule.needs_work()) units.work = sources.work(rule);
  }
  return units;
}

/// Returns nullopt if a case of the rule was not chosen.
std::optional<PointItem> item_of(const StageConfig& stage, const OpTimeRule& rule,
                                 StageReport& report, const BoundSources& sources) {
  std::vector<CaseOfRule> cases;
  for (const OpTimeRule& one : rule.by_case()) {
    const CaseReport* const c = named_by(one, report);
    if (c == nullptr) return std::nullopt;
    cases.push_back({c, units_of(one, *c, report.device, sources)});
    for (const CaseConfig& listed : stage.cases)
      if (one.names(listed.model, listed.batch) && !rule.slope.over.empty())
        cases.back().size = value_of(listed.sizes, rule.slope.over);
  }
  if (!rule.cases.empty()) return score_op_times(rule, cases, report.device);
  PointItem item = score_op_time(rule, *cases[0].report, report.device, cases[0].units);
  item.case_id = cases[0].report->id;
  return item;
}

void score_rule(const StageConfig& stage, const OpTimeRule& rule, StageReport& report,
                const BoundSources& sources) {
  auto item = item_of(stage, rule, report, sources);
  if (!item) return;
  if (rule.late && !item->open) {
    auto late = item_of(stage, rule.for_late(), report, sources);
    // Being late never pays, whatever the bounds are.
    if (late->points < item->points) item->late_points = late->points;
    // Whether a submission is late may change after grading, so both points are decided, or
    // neither.
    if (late->open) {
      item->points = 0;
      item->open = true;
      item->reason = std::move(late->reason);
      item->late_points = std::nullopt;
    }
  }
  report.points.push_back(std::move(*item));
}

}  // namespace

void describe_case(const Case& c, CaseReport& report) {
  report.id = c.id;
  c.visit(
      [&](const CaseConfig& timed) {
        report.model = timed.model;
        report.batch = timed.batch;
        report.required_accuracy = timed.accuracy;
      },
      [](const auto&) {});
  const CaseWeight weight = weight_of(c);
  report.hidden = weight.hidden;
  report.visibility = weight.visibility;
  report.advice = weight.advice;
}

int cases_in(const StageConfig& stage, const std::string& group) {
  const auto in_group = [&](const auto& check) { return check.group == group; };
  return static_cast<int>(std::ranges::count_if(stage.cases, in_group)) +
         (stage.random_shapes.count > 0 && in_group(stage.random_shapes)) +
         (stage.random_batches.count > 0 && in_group(stage.random_batches)) +
         (!stage.fixed_shapes.shapes.empty() && in_group(stage.fixed_shapes));
}

void score_stage(const StageConfig& stage, StageReport& report, bool accept_emulated,
                 const BoundSources& sources) {
  for (auto& c : report.cases) {
    const CaseWeight weight = weight_of(case_of(stage, c.id));
    if (weight.advice) continue;
    c.points.push_back(score_case(weight.points, c, report.device, accept_emulated));
  }
  for (const auto& rule : stage.counts)
    if (CaseReport* const c = named_by(rule, report)) apply(rule, *c, accept_emulated, report);
  for (const auto& rule : stage.op_times) score_rule(stage, rule, report, sources);
  for (const auto& item : stage.open_items) {
    report.points.push_back(
        {.name = item.name, .max_points = item.points, .reason = why::ByStaff{}, .open = true});
  }
  withhold_points(stage, report);
}

void score_constructs(const StageConfig& stage, const BrokenConstructs& broken,
                      StageReport& report) {
  for (std::size_t i = 0; i < stage.constructs.size(); ++i) {
    const ConstructConfig& construct = stage.constructs[i];
    const auto why = i < broken.size() ? broken[i] : std::nullopt;
    if (construct.points > 0) {
      PointItem item{
          .name = construct.forbidden.empty() ? construct.required : "no " + construct.forbidden,
          .max_points = construct.points,
          .reason = why::ConstructKept{}};
      if (report.build.outcome != Outcome::passed) {
        item.reason = report.build.reason;
        item.open = is_undecided(report.build.outcome);
      } else if (why) {
        item.reason = *why;
        item.open = why->is<why::ByStaff>();
      } else {
        item.points = item.max_points;
      }
      report.points.push_back(std::move(item));
    }
    if (!why) continue;
    for (auto& c : report.cases)
      if (!construct.case_name.empty() && c.model == construct.case_name)
        note_broken(c, *why, why->is<why::ByStaff>());
  }
  withhold_points(stage, report);
}

}  // namespace opgrade
