/// Points of a whole stage, by its rules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/config/config.hpp"
#include "grader/config/stage_case.hpp"
#include "grader/core/grade.hpp"
#include "grader/score/score.hpp"

namespace opgrade {

/// True if a rule of Op Times or counts, or the ranking, names this case.
bool applies_to(const auto& rule, const auto& c) {
  return rule.model == c.model && rule.batch == c.batch;
}
bool applies_to(const OpTimeRule& rule, const auto& c) { return rule.names(c.model, c.batch); }

/// The statistic of a case's samples that its rules, or the ranking, count; the median without.
Statistic statistic_of(const Config& config, const StageConfig& stage, const CaseReport& report);

/// A case's timing, with its number of timed calls: none for advice, what the config says, else
/// fifteen where a rule or the ranking uses the time, and one where none does. Fewer
/// are made only where none can give a point: score/hopeless.hpp.
TimingConfig timing_of(const Config& config, const StageConfig& stage, const CaseConfig& wanted);

/// True if points depend on how the case ends: its own, its group's, those of its time or counts,
/// or a rank.
bool decides_points(const Config& config, const StageConfig& stage, const CaseConfig& wanted);

/// How a case counts, whatever it runs.
struct CaseWeight {
  double points = 0;
  bool hidden = false;
  bool advice = false;
  Visibility visibility = Visibility::open;
  std::string group;
};
CaseWeight weight_of(const Case& c);

/// Writes into a report what the config says of its case.
void describe_case(const Case& c, CaseReport& report);

/// The number of cases in a group.
int cases_in(const StageConfig& stage, const std::string& group);

/// Points of all cases, groups, constructs and Op Time rules.
double graded_points(const StageConfig& stage);

/// Who knows what the bounds of Op Time rules are multiples of. Each is asked only if a rule needs
/// it.
struct BoundSources {
  /// The reference solution's sum of Op Times, in ms.
  std::function<std::optional<double>(const OpTimeRule&)> reference;
  std::function<CaseWork(const OpTimeRule&)> work;
};

/// Adds points to `report`, whose cases have run. They come from each case that is not advice, the
/// Op Time rules of these cases, and the open items.
void score_stage(const StageConfig& stage, StageReport& report, bool accept_emulated,
                 const BoundSources& sources);

/// For each of a stage's constructs why the sources break the rule, with the line of a forbidden
/// one; nothing if they keep it, and why::ByStaff if opgrade cannot tell.
using BrokenConstructs = std::vector<std::optional<Reason>>;

/// Adds the points of constructs, and takes those of cases whose rule is broken. The cases of
/// `report` have their points. Where the stage was not built, nothing is earned, and `broken` may
/// be empty.
void score_constructs(const StageConfig& stage, const BrokenConstructs& broken,
                      StageReport& report);

}  // namespace opgrade
