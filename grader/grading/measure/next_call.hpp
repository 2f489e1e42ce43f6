/// Decides which call of a layer comes next, from the calls so far: pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "grader/base/core/grade.hpp"
#include "grader/base/core/measurement.hpp"

namespace opgrade {

struct Plan {
  enum class Place {
    host,    ///< The first call has the known input. Empty calls were timed before.
    device,  ///< The last call has the known input. Empty calls alternate with the timed ones.
  };
  Place place = Place::host;
  bool single = false;        ///< one timed call and no other, because its process is new
  std::string whole_layer{};  ///< see Measurement::whole_layer
  int warm_ups = 0;           ///< calls that are not timed; at least one is made
  /// Timed calls that count; 0: one call, with the known input. If some calls do not count, up to
  /// three times as many are made.
  int calls = 1;
  /// No further timed call begins after this time, because the whole case has a limit. At least one
  /// timed call is made.
  std::chrono::nanoseconds budget = std::chrono::minutes(1);
  /// Op Times above this earn nothing, whatever further calls take: see is_hopeless(). Absent if
  /// any time may count.
  std::optional<double> hopeless_ms{};
  /// The time by which earlier results, such as those of a smaller case, have shown that this layer
  /// is hopeless. If it is set, the first call is a trial. A trial that takes no less is the only
  /// call; a shorter trial may be long just because it is the first call.
  std::optional<double> expected_ms{};
  /// If every call so far took longer than this, kFewCalls counting calls do: see far_behind_ms().
  std::optional<double> far_behind_ms{};
  std::chrono::nanoseconds abort_above{};  ///< no times if the first warm-up takes longer; 0: no
                                           ///< limit
  std::chrono::nanoseconds empty_call{};   ///< cost of a step that does nothing, on the host
};

/// Calls that count of a layer that is far behind. One disturbed call of three does not decide.
inline constexpr int kFewCalls = 3;

/// What a call is for.
enum class NextCall {
  none,
  warm_up,
  timed,
  known,  ///< has the known input, and its output is used
  trial,  ///< has the known input, which cannot make it hopeless: its time counts if it is hopeless
};

struct Progress {
  const Measurement& measurement;
  NextCall last = NextCall::none;
  std::chrono::nanoseconds since{};  ///< time since the first timed call could begin
  bool too_slow = false;             ///< the first warm-up took longer than Plan::abort_above
};

/// A hopeless layer has two calls: an untimed one and a trial, because a first call may be slow for
/// other reasons. If earlier results have shown that the layer is hopeless, and its first call
/// takes no less than they did, that trial is the only call. If a trial is not hopeless, all calls
/// follow it.
NextCall next_call(const Progress& progress, const Plan& plan);

int count_counting(const Measurement& measurement);

/// True if no further timed call can matter: at least one call counts, and all calls so far took
/// longer than Plan::hopeless_ms. A lone call must also take no less than Plan::expected_ms. The
/// untimed calls are included so that neither a function that is slow in its first calls nor one
/// disturbed call ends the measuring. This is asked after each call, which cannot help a
/// submission: if measuring stops, the submission has only times without points.
bool is_hopeless(const Measurement& measurement, const Plan& plan);

/// True if kFewCalls calls that count are enough, because all calls so far took longer than
/// Plan::far_behind_ms.
bool is_far_behind(const Measurement& measurement, const Plan& plan);

/// Sums of a case's Op Times above which fewer calls are enough. Absent: no such limit.
struct TimeLimits {
  std::optional<double> hopeless_ms{};
  std::optional<double> expected_ms{};
  std::optional<double> far_behind_ms{};
};

/// Sets the limits of a layer to what the `earlier` layers of its case left, by their fastest
/// calls. If a layer is beyond a limit, its case's time then is beyond the limit by any statistic
/// of its samples. If the earlier layers alone are beyond it, no time of this layer can matter.
void limit_times(Plan& plan, const TimeLimits& limits, std::span<const CallReport> earlier);

}  // namespace opgrade
