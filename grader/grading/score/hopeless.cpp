#include "grader/grading/score/hopeless.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "grader/base/core/case_time.hpp"
#include "grader/grading/score/score_stage.hpp"
#include "grader/grading/score/time_in_bounds.hpp"

namespace opgrade {
namespace {

constexpr double kFactor = 2;

/// Above this a first call is not long merely because it loaded the code.
constexpr double kShownMs = 100;

/// The rule for `wanted` alone, taken from `rule`, which names it; nullopt if the other cases of
/// the rule may make up for a slow one.
std::optional<OpTimeRule> own_rule(const OpTimeRule& rule, const CaseConfig& wanted) {
  const bool one_time = !rule.cases.empty() && rule.slope.over.empty();
  if (one_time && rule.together == Together::geometric_mean) return std::nullopt;
  if (one_time && rule.together == Together::sum && rule.zero.unit != TimeBound::Unit::ms)
    return std::nullopt;
  for (const OpTimeRule& one : rule.by_case())
    if (one.names(wanted.model, wanted.batch)) return one;
  return std::nullopt;
}

/// The time from which every rounded time is `zero` or more. Times are rounded to a multiple of a
/// step of at most 2.5 times the share of the time, or of 1 us.
double rounded_up(double zero, double share) {
  constexpr double kHalfStep = 2.5 / 2, kLeastMs = 1e-3;
  if (kHalfStep * share >= 1) return std::numeric_limits<double>::infinity();
  return std::max(zero / (1 - kHalfStep * share), zero + kHalfStep * kLeastMs);
}

/// Like hopeless_ms(), but by the Op Time rules alone; 0 if no rule names the case.
std::optional<double> worthless_ms(const StageConfig& stage, const CaseConfig& wanted,
                                   const std::function<CaseWork(const OpTimeRule&)>& work) {
  double longest = 0;
  for (const OpTimeRule& rule : stage.op_times) {
    if (!applies_to(rule, wanted)) continue;
    const auto own = own_rule(rule, wanted);
    if (!own) return std::nullopt;
    const TimeBound zero = own->bounds()[1];
    BoundUnits units;
    if (zero.is_rate()) units.work = work(*own);
    const auto zero_ms = time_in_ms(zero, units);
    if (!zero_ms) return std::nullopt;
    const double none_from = rounded_up(*zero_ms, rule.step);
    if (!std::isfinite(none_from)) return std::nullopt;
    longest = std::max(longest, kFactor * none_from);
  }
  return longest;
}

}  // namespace

bool is_ranked_case(const Config& config, const StageConfig& stage, const CaseConfig& wanted) {
  return config.ranking && config.ranking->stage == stage.name &&
         applies_to(*config.ranking, wanted);
}

std::optional<double> hopeless_ms(const Config& config, const StageConfig& stage,
                                  const CaseConfig& wanted,
                                  const std::function<CaseWork(const OpTimeRule&)>& work) {
  if (is_ranked_case(config, stage, wanted)) return std::nullopt;
  const auto longest = worthless_ms(stage, wanted, work);
  if (!longest || *longest > 0) return longest;
  if (timing_of(config, stage, wanted).repetitions == 1) return kShownMs;
  return std::nullopt;
}

std::optional<double> far_behind_ms(const Config& config, const StageConfig& stage,
                                    const CaseConfig& wanted,
                                    const std::function<CaseWork(const OpTimeRule&)>& work,
                                    std::optional<double> behind_class_ms) {
  if (!behind_class_ms || !is_ranked_case(config, stage, wanted)) return std::nullopt;
  const auto worthless = worthless_ms(stage, wanted, work);
  if (!worthless) return std::nullopt;
  return std::max(*behind_class_ms, *worthless);
}

void CaseTimes::add(const CaseReport& report, double work) {
  const auto fastest = case_time(report, Statistic::fastest);
  if (work > 0 && fastest && report.outcome == Outcome::passed) times_.push_back({work, *fastest});
}

std::optional<double> CaseTimes::least_beyond(double ms, double work) const {
  std::optional<double> least;
  for (const Fastest& one : times_)
    if (one.work <= work && one.ms > ms) least = std::min(least.value_or(one.ms), one.ms);
  return least;
}

}  // namespace opgrade
