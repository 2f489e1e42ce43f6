#include "grader/grading/score/score_counts.hpp"

#include <algorithm>
#include <limits>

#include "grader/base/core/counts.hpp"
#include "grader/task/config/count_bound.hpp"

namespace opgrade {
namespace {

double value_of(const CountName& count, const ProfileReport& counted, int layer, bool of_ideal) {
  const double value = count.value(counted, layer);
  return !of_ideal || value == 0 ? value : value / count.ideal(counted, layer);
}

/// Judges the computation that is furthest beyond the bound, or nearest to it. A load whose value
/// is not needed must not help: of the counts with such loads and without them, the less favourable
/// one holds.
Reason judge_counts(const CountRule& rule, const ProfileReport& counted) {
  const bool at_least = !rule.at_least.empty();
  const CountName& count = *find_count(rule.count);
  const ProfileReport useful = without_useless_loads(counted);
  why::Count worst{.name = rule.count, .at_least = at_least};
  double largest = -std::numeric_limits<double>::infinity();
  for (int layer = 0; layer < std::ssize(counted.counted_layers); ++layer) {
    const ProfileLayerRow& row = counted.counted_layers[static_cast<std::size_t>(layer)];
    if (find_count("launches")->value(counted, layer) == 0) return why::NoKernel{row.layer};
    const CountBound bound = count_bound(at_least ? rule.at_least : rule.at_most, row.shape);
    const double of_all = value_of(count, counted, layer, bound.times_ideal);
    const double needed = value_of(count, useful, layer, bound.times_ideal);
    const double value = at_least ? std::min(of_all, needed) : std::max(of_all, needed);
    const double excess = at_least ? bound.value - value : value - bound.value;
    if (excess <= largest) continue;
    largest = excess;
    worst = {.name = rule.count,
             .layer = row.layer,
             .counted = value,
             .bound = bound.value,
             .at_least = at_least,
             .of_ideal = bound.times_ideal};
  }
  if (largest > 0) return why::CountBroken{worst};
  return why::CountKept{worst};
}

}  // namespace

PointItem score_counts(const CountRule& rule, const CaseReport& report, bool accept_emulated) {
  PointItem item{.name = rule.count + (rule.at_least.empty() ? " at most " + rule.at_most
                                                             : " at least " + rule.at_least),
                 .max_points = rule.points};
  if (is_undecided(report.outcome)) {
    item.open = true;
    item.reason = report.reason;
  } else if (report.outcome != Outcome::passed && report.outcome != Outcome::not_credible) {
    item.reason = why::NotRight{report.outcome};
  } else if (!report.profile || report.profile->counted_layers.empty()) {
    item.open = true;
    item.reason = why::NotCounted{report.profile ? report.profile->problem : ""};
  } else if (report.profile->miscounted) {
    item.reason = why::CountNotRight{{*report.profile->miscounted}};
  } else {
    item.reason = judge_counts(rule, *report.profile);
    const auto* const kept = item.reason.get_if<why::CountKept>();
    if (kept != nullptr && !accept_emulated) {
      item.open = true;
      item.reason = why::CountUnaccepted{kept->count};
    } else if (kept != nullptr) {
      item.points = rule.points;
    }
  }
  return item;
}

}  // namespace opgrade
