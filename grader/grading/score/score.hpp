/// Turns outcomes and rules into points, each with its reason.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Points for a case: all if its outcome is `passed` or `not_credible`. Open if it could not be
/// decided here: there is no such device, the emulated device lacks a feature, or the run was
/// emulated without `accept_emulated`. Otherwise none.
PointItem score_case(double points, const CaseReport& report, Device ran_on, bool accept_emulated);

/// What a case computes, by its task.
struct CaseWork {
  double bytes = 0;     ///< inputs read once, the output written once
  double flops = 0;     ///< floating-point operations
  double least_ms = 0;  ///< that a GPU needs for both, by its rates; 0: they are not known
};

/// What the bounds of a rule are multiples of.
struct BoundUnits {
  std::optional<double> reference_ms{};  ///< the reference solution's sum of Op Times in this run
  CaseWork work{};
  std::optional<double> serial_ms{};  ///< the serial solution's sum of Op Times in this run
};

/// The share of a rule's points at a time: from 0 to 1, and it never grows with the time. A time
/// that is no number has the share 0.
double op_time_share(double ms, double full_ms, double zero_ms, OpTimeRule::Between between);

/// The rule's points at ten times from `full` to `zero`, in the unit of `full`: "70 ms 10, 84 ms
/// 8"; for a slope, at ten slopes. Empty if the bounds have different units, because only a run
/// knows their ratio.
std::string points_by_time(const OpTimeRule& rule);

/// What a rule is called: by its case, or by all of them, "small, large together".
std::string rule_name(const OpTimeRule& rule);

/// Points for speed. `report` is of the case that the rule names. `units` needs only the values
/// that the rule's bounds use.
PointItem score_op_time(const OpTimeRule& rule, const CaseReport& report, Device ran_on,
                        const BoundUnits& units);

struct CaseOfRule {
  const CaseReport* report = nullptr;
  BoundUnits units{};
  std::int64_t size = 0;  ///< the case's size, if the rule takes a slope over it
};

/// Points for the speed of several cases, in the order of the rule. They never grow with the time
/// of any case. The exception is a slope, which a slow small case makes smaller: it counts only if
/// every case is below a bound. The points are open as long as a time is missing that may give
/// points.
PointItem score_op_times(const OpTimeRule& rule, const std::vector<CaseOfRule>& cases,
                         Device ran_on);

/// Adds up the points of all stages and decides the verdict. `of_points` is the number of points
/// that the mark was set for: if only some cases were chosen, the mark is scaled to the points that
/// these cases have. It is nullopt if all points could be had. A mark of 0 passes if nothing is
/// wrong.
void finish_grade(Grade& grade, double pass_mark, std::optional<double> of_points = {});

}  // namespace opgrade
