/// Turns outcomes and rules into points, each with its reason.
#pragma once

#include <optional>

#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"

namespace opgrade {

/// Points for a case. All when its outcome is `passed`. Open when it could not be decided here: no
/// such device, a missing feature of the emulated device, or an emulated run without
/// `accept_emulated`. Else none.
PointItem score_case(double points, const CaseReport& report, Device ran_on, bool accept_emulated);

/// Points for speed. `report` is the case the rule names. `reference_ms` is the reference
/// solution's sum of Op Times in the same run, needed only when the rule asks for it.
PointItem score_op_time(const OpTimeRule& rule, const CaseReport& report, Device ran_on,
                        std::optional<double> reference_ms);

/// Adds up the points of all stages and decides the verdict. `of_points` is the number of points
/// that the mark was set for. If only some cases were chosen, the mark is scaled to the points they
/// have. Null where all points could be had. A mark of 0 passes when nothing is wrong.
void finish_grade(Grade& grade, double pass_mark, std::optional<double> of_points = {});

}  // namespace opgrade
