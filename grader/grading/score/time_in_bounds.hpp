/// A case's Op Time and the bounds of a rule, all as times.
#pragma once

#include <optional>
#include <variant>

#include "grader/base/core/grade.hpp"
#include "grader/grading/score/score.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// A bound of a rule as a time; nullopt if the value that it is a multiple of is not known.
std::optional<double> time_in_ms(const TimeBound& bound, const BoundUnits& units);

struct TimeInBounds {
  double ms = 0;
  double full_ms = 0, zero_ms = 0;  ///< for a slope, both are its bound
};

/// Why there are no points for the time, or none yet.
struct NoTimeInBounds {
  Reason reason;
  bool open = false;  ///< another run may give the time
};

/// `rule` names one case, which `report` is of.
std::variant<TimeInBounds, NoTimeInBounds> time_in_bounds(const OpTimeRule& rule,
                                                          const CaseReport& report, Device ran_on,
                                                          const BoundUnits& units);

}  // namespace opgrade
