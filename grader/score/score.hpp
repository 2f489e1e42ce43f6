/// Turns what happened into points, each with its reason.
#pragma once

#include <optional>
#include <span>

#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"

namespace opgrade {

/// Points for a case: all when its outcome is `passed`, open when it could not be decided here (no
/// such device, more than the emulated device has, or emulated where the config does not accept
/// that), else none.
PointItem score_case(double points, const CaseReport& report, Device ran_on, bool accept_emulated);

/// Points for speed. `report` is the case the rule names, `reference_ms` the reference solution's
/// sum of Op Times in the same run, needed only when the rule asks for it.
PointItem score_op_time(const OpTimeRule& rule, const CaseReport& report, Device ran_on,
                        std::optional<double> reference_ms);

/// Sum of the Op Times of a case's conv layers, in ms: of each what `take` makes of its
/// repetitions. Nothing when one was not timed.
std::optional<double> sum_of_op_times(const CaseReport& report, Statistic take = Statistic::median);

/// Adds up the points of all stages and decides the verdict. `of_points` is how many points the
/// mark was set for; where only a part of them could be had, because some cases were chosen, so
/// much of the mark decides. Null where all of them could be. A mark of 0 passes when nothing is
/// wrong.
void finish_grade(Grade& grade, double pass_mark, std::optional<double> of_points = {});

}  // namespace opgrade
