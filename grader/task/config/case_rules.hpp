/// What the rules and the ranking of a config say about one case.
#pragma once

#include <string>

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/config/stage_case.hpp"

namespace opgrade {

/// True if a rule on Op Times or counts, or the ranking, names this case.
bool applies_to(const auto& rule, const auto& c) {
  return rule.model == c.model && rule.batch == c.batch;
}
bool applies_to(const OpTimeRule& rule, const auto& c) { return rule.names(c.model, c.batch); }

/// The statistic of a case's samples that decides its points or its rank; the median if neither
/// depends on them.
Statistic statistic_of(const Config& config, const StageConfig& stage, const CaseReport& report);

/// A case's timing, with its number of timed calls: none for advice, else what the config says. If
/// the config says nothing, fifteen if a rule or the ranking uses the time, and one if none does.
/// Fewer calls are made only if no time can give a point: score/hopeless.hpp.
TimingConfig timing_of(const Config& config, const StageConfig& stage, const CaseConfig& wanted);

/// True if points depend on how the case ends: its own points, its group's, those of a rule on its
/// time or counts, or those of a rank.
bool decides_points(const Config& config, const StageConfig& stage, const CaseConfig& wanted);

/// Sum of the points that opgrade gives in this stage: for cases, groups, constructs and rules.
double graded_points(const StageConfig& stage);

/// True if points or ranks depend on times of the CPU.
bool cpu_times_count(const Config& config);

/// How a case counts, whatever kind of case it is.
struct CaseWeight {
  double points = 0;
  bool hidden = false;
  bool advice = false;
  Visibility visibility = Visibility::open;
  std::string group;
  RunWhen run = RunWhen::always;
};
CaseWeight weight_of(const Case& c);

}  // namespace opgrade
