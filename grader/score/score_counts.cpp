#include "grader/score/score_counts.hpp"

#include <algorithm>
#include <limits>

#include "grader/config/count_bound.hpp"
#include "grader/core/counts.hpp"

namespace opgrade {
namespace {

double value_of(const CountName& count, const ProfileReport& counted, int layer, bool of_ideal) {
  const double value = count.value(counted, layer);
  return !of_ideal || value == 0 ? value : value / count.ideal(counted, layer);
}

/// The computation that is furthest from the bound, or beyond. A load whose value is not needed
/// serves no rule: of the counts with such loads and without them the less favourable one holds.
Reason judge_counts(const CountRule& rule, const ProfileReport& counted) {
  const bool at_least = !rule.at_least.empty();
  Reason worst{.words = rule.count, .at_least = at_least};
  const ProfileReport useful = without_useless_loads(counted);
  double largest = -std::numeric_limits<double>::infinity();
  for (int layer = 0; layer < std::ssize(counted.counted_layers); ++layer) {
    const ProfileLayerRow& row = counted.counted_layers[static_cast<std::size_t>(layer)];
    if (find_count("launches")->value(counted, layer) == 0)
      return {.kind = Reason::Kind::no_kernel, .layer = row.layer};
    const CountName& count = *find_count(rule.count);
    const CountBound bound = count_bound(at_least ? rule.at_least : rule.at_most, row.shape);
    const double of_all = value_of(count, counted, layer, bound.times_ideal);
    const double needed = value_of(count, useful, layer, bound.times_ideal);
    const double value = at_least ? std::min(of_all, needed) : std::max(of_all, needed);
    const double excess = at_least ? bound.value - value : value - bound.value;
    if (excess <= largest) continue;
    largest = excess;
    worst.kind = excess > 0 ? Reason::Kind::count_broken : Reason::Kind::count_kept;
    worst.layer = row.layer;
    worst.counted = value;
    worst.bound = bound.value;
    worst.of_ideal = bound.times_ideal;
  }
  return worst;
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
    item.reason = {.kind = Reason::Kind::not_right, .outcome = report.outcome};
  } else if (!report.profile || report.profile->counted_layers.empty()) {
    item.open = true;
    item.reason = {.kind = Reason::Kind::not_counted,
                   .words = report.profile ? report.profile->problem : ""};
  } else if (report.profile->miscounted) {
    item.reason = {.kind = Reason::Kind::count_not_right, .another = {*report.profile->miscounted}};
  } else {
    item.reason = judge_counts(rule, *report.profile);
    const bool kept = item.reason.kind == Reason::Kind::count_kept;
    if (kept && !accept_emulated) {
      item.open = true;
      item.reason.kind = Reason::Kind::count_unaccepted;
    } else if (kept) {
      item.points = rule.points;
    }
  }
  return item;
}

}  // namespace opgrade
