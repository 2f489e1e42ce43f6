#include "grader/grading/score/time_in_bounds.hpp"

#include <algorithm>

#include "grader/base/core/case_time.hpp"
#include "grader/task/config/time_bound.hpp"

namespace opgrade {
std::optional<double> time_in_ms(const TimeBound& bound, const BoundUnits& units) {
  // A rate of 1 is 10^9 a second, which is 10^6 a millisecond.
  const auto at_rate = [&](double work) -> std::optional<double> {
    return work > 0 ? std::optional(work / (bound.value * 1e6)) : std::nullopt;
  };
  switch (bound.unit) {
    case TimeBound::Unit::ms:
      return bound.value;
    case TimeBound::Unit::gbyte_s:
      return at_rate(units.work.bytes);
    case TimeBound::Unit::gflop_s:
      return at_rate(units.work.flops);
    case TimeBound::Unit::roofline:
      return units.work.least_ms > 0 ? std::optional(units.work.least_ms / bound.value)
                                     : std::nullopt;
    case TimeBound::Unit::reference:
    case TimeBound::Unit::serial:
      break;
  }
  const auto& of_staff =
      bound.unit == TimeBound::Unit::serial ? units.serial_ms : units.reference_ms;
  return of_staff ? std::optional(bound.value * *of_staff) : std::nullopt;
}

std::variant<TimeInBounds, NoTimeInBounds> time_in_bounds(const OpTimeRule& rule,
                                                          const CaseReport& report, Device ran_on,
                                                          const BoundUnits& units) {
  if (is_undecided(report.outcome) || report.outcome == Outcome::not_credible)
    return NoTimeInBounds{report.reason, true};
  if (report.outcome != Outcome::passed) return NoTimeInBounds{why::NotFast{report.outcome}, false};
  if (ran_on == Device::emulated) return NoTimeInBounds{why::NoEmulatedTime{}, true};
  const auto sum = case_time(report, rule.take);
  if (!sum && std::ranges::any_of(report.calls, &CallReport::too_slow))
    return NoTimeInBounds{report.reason, false};
  if (!sum) return NoTimeInBounds{report.untimed.value_or(why::NoTime{}), true};
  const auto bounds = rule.bounds();
  const auto full = time_in_ms(bounds[0], units);
  const auto zero = time_in_ms(bounds[1], units);
  if (full && zero) return TimeInBounds{*sum, *full, *zero};
  if (rule.needs(TimeBound::Unit::reference) && !units.reference_ms)
    return NoTimeInBounds{why::NoReferenceTime{}, true};
  if (rule.needs(TimeBound::Unit::serial) && !units.serial_ms)
    return NoTimeInBounds{why::NoReferenceTime{.serial = true}, true};
  const TimeBound& unknown = full ? bounds[1] : bounds[0];
  return NoTimeInBounds{why::NoWork{.rate = unknown.is_rate() ? bound_text(unknown) : "",
                                    .by_gpu = unknown.unit == TimeBound::Unit::roofline},
                        true};
}

}  // namespace opgrade
