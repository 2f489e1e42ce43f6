#include "grader/score/hopeless.hpp"

#include <algorithm>
#include <cmath>

#include "grader/core/case_time.hpp"
#include "grader/score/score_stage.hpp"
#include "grader/score/time_in_bounds.hpp"

namespace opgrade {

std::optional<double> hopeless_ms(const Config& config, const StageConfig& stage,
                                  const CaseConfig& wanted,
                                  const std::function<CaseWork(const OpTimeRule&)>& work) {
  constexpr double kFactor = 2;
  if (config.ranking && config.ranking->stage == stage.name && applies_to(*config.ranking, wanted))
    return std::nullopt;
  std::optional<double> longest;
  for (const OpTimeRule& rule : stage.op_times) {
    if (!applies_to(rule, wanted)) continue;
    if (!rule.cases.empty()) return std::nullopt;  // its other cases may make up for this one
    BoundUnits units;
    if (rule.zero.is_rate()) units.work = work(rule);
    const auto zero = time_in_ms(rule.zero, units);
    if (!zero || !std::isfinite(*zero)) return std::nullopt;
    // A rule with coarse steps may round the time down.
    if (graded_time(kFactor * *zero, rule.step) < *zero) return std::nullopt;
    longest = std::max(longest.value_or(0), kFactor * *zero);
  }
  return longest;
}

}  // namespace opgrade
