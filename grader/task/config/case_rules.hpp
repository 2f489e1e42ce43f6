/// What the rules and the ranking of a config make of one case.
#pragma once

#include <string>

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/config/stage_case.hpp"

namespace opgrade {

/// True if a rule of Op Times or counts, or the ranking, names this case.
bool applies_to(const auto& rule, const auto& c) {
  return rule.model == c.model && rule.batch == c.batch;
}
bool applies_to(const OpTimeRule& rule, const auto& c) { return rule.names(c.model, c.batch); }

/// The statistic of a case's samples that its rules, or the ranking, count; the median if none
/// does.
Statistic statistic_of(const Config& config, const StageConfig& stage, const CaseReport& report);

/// A case's timing, with its number of timed calls: none for advice, what the config says, else
/// fifteen where a rule or the ranking uses the time, and one where none does. Fewer
/// are made only where none can give a point: score/hopeless.hpp.
TimingConfig timing_of(const Config& config, const StageConfig& stage, const CaseConfig& wanted);

/// True if points depend on how the case ends: its own, its group's, those of its time or counts,
/// or a rank.
bool decides_points(const Config& config, const StageConfig& stage, const CaseConfig& wanted);

/// Points of all cases, groups, constructs and rules: of what opgrade grades.
double graded_points(const StageConfig& stage);

/// True where points or ranks depend on times of the CPU.
bool cpu_times_count(const Config& config);

/// How a case counts, whatever it runs.
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
