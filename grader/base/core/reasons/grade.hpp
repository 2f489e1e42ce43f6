/// Why there are points or none, and what a grade says as a whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "grader/base/core/outcome.hpp"
#include "grader/base/core/reasons/alternative.hpp"
#include "grader/base/core/together.hpp"

namespace opgrade::why {

// Reasons of points.

struct RightOutput {
  OPGRADE_REASON(RightOutput, right_output);
};
struct EmulatedOnly {
  OPGRADE_REASON(EmulatedOnly, emulated_only);
};
struct NotRight {
  std::optional<Outcome> outcome;  ///< the outcome that gives no points
  OPGRADE_REASON(NotRight, not_right);
};
struct NotCounted {
  std::string problem;
  OPGRADE_REASON(NotCounted, not_counted);
};
struct NoKernel {
  std::string layer;  ///< the layer in whose call no kernel ran
  OPGRADE_REASON(NoKernel, no_kernel);
};
/// The count of the layer that is closest to its bound, or furthest beyond it.
struct Count {
  std::string name;  ///< core/counts.hpp
  std::string layer{};
  double counted = 0, bound = 0;
  bool at_least = false;  ///< the bound is a lower bound
  bool of_ideal = false;  ///< `counted` and `bound` are multiples of the ideal count
  bool operator==(const Count&) const = default;
};
struct CountKept {
  Count count;
  OPGRADE_REASON(CountKept, count_kept);
};
struct CountBroken {
  Count count;
  OPGRADE_REASON(CountBroken, count_broken);
};
/// The bound is kept, but the config accepts no emulated results.
struct CountUnaccepted {
  Count count;
  OPGRADE_REASON(CountUnaccepted, count_unaccepted);
};
struct CountNotRight {
  std::vector<Reason> rerun;  ///< exactly one: of the counting run
  bool operator==(const CountNotRight&) const;
  static constexpr std::string_view id = "count_not_right";
};
/// The case runs only at the deadline, not when a submission is handed in.
struct RunsAtDeadline {
  OPGRADE_REASON(RunsAtDeadline, runs_at_deadline);
};
struct NotFast {
  std::optional<Outcome> outcome;  ///< the outcome that gives no points for speed
  OPGRADE_REASON(NotFast, not_fast);
};
struct NoEmulatedTime {
  OPGRADE_REASON(NoEmulatedTime, no_emulated_time);
};
struct NoTime {
  OPGRADE_REASON(NoTime, no_time);
};
/// The machine has fewer cores for the grader than the case has threads, so the case is not timed.
struct TooFewCores {
  std::int64_t threads = 0, cores = 0;
  OPGRADE_REASON(TooFewCores, too_few_cores);
};
struct NoReferenceTime {
  bool serial = false;  ///< true: the serial solution has no time; false: the reference
  OPGRADE_REASON(NoReferenceTime, no_reference_time);
};
/// A rule asks for a rate, but the task does not say how much work the case is.
struct NoWork {
  std::string rate;
  bool by_gpu = false;  ///< true: the GPU's rates, which the rule needs, are unknown
  OPGRADE_REASON(NoWork, no_work);
};
struct OpTime {
  double ms = 0;                    ///< the sum of Op Times
  double full_ms = 0, zero_ms = 0;  ///< zero_ms of 0: any time earns points
  std::optional<double> reference_ms{};
  std::string full_rate{}, zero_rate{};  ///< as the config gives them; empty: a time or a multiple
  bool by_speed = false;                 ///< points are linear in the speed between both bounds
  std::optional<double> serial_ms{};
  OPGRADE_REASON(OpTime, op_time);
};
/// A case of a rule that counts several cases. If it has no time, it is not right or was too slow.
struct TimeOfCase {
  std::string name;
  std::optional<double> ms{};
  double full_ms = 0, zero_ms = 0;  ///< the case's own bounds; 0 if it has none
  std::optional<double> share{};    ///< share of the points, if each case has one
  bool operator==(const TimeOfCase&) const = default;
};
struct OpTimesTogether {
  Together together = Together::sum;
  std::vector<TimeOfCase> cases{};
  double ms = 0, full_ms = 0, zero_ms = 0;  ///< all cases together; 0 if each case has a share
  double share = 0;
  bool by_speed = false;
  OPGRADE_REASON(OpTimesTogether, op_times_together);
};
struct OpTimeSlope {
  std::vector<TimeOfCase> cases{};
  std::string over;  ///< the size whose logarithm is the abscissa
  double slope = 0, full_slope = 0, zero_slope = 0;
  double share = 0;
  OPGRADE_REASON(OpTimeSlope, op_time_slope);
};
/// The slope has no points if one of its cases is slow at its size.
struct SlopeNotCounted {
  std::string name;  ///< name of the slow case
  double ms = 0, below_ms = 0;
  OPGRADE_REASON(SlopeNotCounted, slope_not_counted);
};
struct ByStaff {
  OPGRADE_REASON(ByStaff, by_staff);
};
struct RightCases {
  std::int64_t count = 0, of = 0;  ///< number of cases in a group
  OPGRADE_REASON(RightCases, right_cases);
};
struct NeedsGroup {
  std::string group;
  std::string case_id;  ///< the group's first case that is not right
  OPGRADE_REASON(NeedsGroup, needs_group);
};
struct ConstructKept {
  OPGRADE_REASON(ConstructKept, construct_kept);
};

// Reasons of a grade.

struct NothingRan {
  OPGRADE_REASON(NothingRan, nothing_ran);
};
struct AllRight {
  OPGRADE_REASON(AllRight, all_right);
};
struct CountedRight {
  OPGRADE_REASON(CountedRight, counted_right);
};
struct HiddenCase {
  std::optional<Outcome> outcome;
  OPGRADE_REASON(HiddenCase, hidden_case);
};

}  // namespace opgrade::why
