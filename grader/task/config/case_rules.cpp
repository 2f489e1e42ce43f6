#include "grader/task/config/case_rules.hpp"

#include <algorithm>
#include <optional>

namespace opgrade {
namespace {

/// The statistic of the case's samples that its rules or the ranking use; nullopt if none uses its
/// time.
std::optional<Statistic> counted_time(const Config& config, const StageConfig& stage,
                                      const auto& c) {
  const auto rule = std::ranges::find_if(stage.op_times,
                                         [&](const OpTimeRule& one) { return applies_to(one, c); });
  if (rule != stage.op_times.end()) return rule->take;
  if (config.ranking && config.ranking->stage == stage.name && applies_to(*config.ranking, c))
    return config.ranking->take;
  return std::nullopt;
}

}  // namespace

Statistic statistic_of(const Config& config, const StageConfig& stage, const CaseReport& report) {
  return counted_time(config, stage, report).value_or(Statistic::median);
}

TimingConfig timing_of(const Config& config, const StageConfig& stage, const CaseConfig& wanted) {
  constexpr int kCalls = 15;
  TimingConfig timing = wanted.timing.value_or(config.timing);
  if (wanted.advice) {
    timing.repetitions = 0;
  } else if (!timing.repetitions) {
    timing.repetitions = counted_time(config, stage, wanted) ? kCalls : 1;
  }
  return timing;
}

bool decides_points(const Config& config, const StageConfig& stage, const CaseConfig& wanted) {
  return wanted.points > 0 || !wanted.group.empty() || counted_time(config, stage, wanted) ||
         std::ranges::any_of(stage.counts,
                             [&](const CountRule& rule) { return applies_to(rule, wanted); });
}

double graded_points(const StageConfig& stage) {
  double sum = stage.random_shapes.points + stage.random_batches.points + stage.fixed_shapes.points;
  for (const auto& c : stage.cases) sum += c.points;
  for (const auto& group : stage.groups) sum += group.points;
  for (const auto& construct : stage.constructs) sum += construct.points;
  for (const auto& rule : stage.counts) sum += rule.points;
  for (const auto& rule : stage.op_times) sum += rule.points;
  return sum;
}

bool cpu_times_count(const Config& config) {
  return std::ranges::any_of(config.stages, [&](const StageConfig& stage) {
    const bool ranks = config.ranking && config.ranking->stage == stage.name;
    return stage.device == Device::cpu && (ranks || !stage.op_times.empty());
  });
}

CaseWeight weight_of(const Case& c) {
  return std::visit(
      [](const auto& kind) -> CaseWeight {
        const auto& config = *kind.config;
        return {config.points,     config.hidden, config.advice,
                config.visibility, config.group,  config.run};
      },
      c.kind);
}

}  // namespace opgrade
