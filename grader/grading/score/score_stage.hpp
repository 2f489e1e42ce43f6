/// Points of a whole stage, by its rules.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/task/config/case_rules.hpp"
#include "grader/task/config/config.hpp"
#include "grader/task/config/stage_case.hpp"

namespace opgrade {

/// Writes into a report what the config says of its case.
void describe_case(const Case& c, CaseReport& report);

/// The number of cases in a group.
int cases_in(const StageConfig& stage, const std::string& group);

/// Where Op Time rules get the values that their bounds are multiples of. Each function is called
/// only if a rule needs it.
struct BoundSources {
  /// The reference solution's sum of Op Times, in ms.
  std::function<std::optional<double>(const OpTimeRule&)> reference;
  std::function<CaseWork(const OpTimeRule&)> work;
  /// Like `reference`, for staff's serial solution.
  std::function<std::optional<double>(const OpTimeRule&)> serial{};
};

/// Adds points to `report`, whose cases have run. They come from each case that is not advice, the
/// rules on counts and Op Times of these cases, and the open items. A broken rule on counts without
/// points takes those of its case: see BrokenRule.
void score_stage(const StageConfig& stage, StageReport& report, bool accept_emulated,
                 const BoundSources& sources);

/// For each of a stage's constructs: why the sources break the rule, with the line of a forbidden
/// construct; nullopt if they keep the rule, and why::ByStaff if opgrade cannot tell.
using BrokenConstructs = std::vector<std::optional<Reason>>;

/// Adds the points of constructs, and withholds the points of cases whose rule is broken. The cases
/// of `report` must have their points. If the stage was not built, nothing is earned, and `broken`
/// may be empty.
void score_constructs(const StageConfig& stage, const BrokenConstructs& broken,
                      StageReport& report);

}  // namespace opgrade
