/// Which call of a layer comes next, by those before it: pure.
#pragma once

#include <chrono>
#include <optional>
#include <span>

#include "grader/base/core/grade.hpp"
#include "grader/base/core/measurement.hpp"

namespace opgrade {

struct Plan {
  enum class Place {
    host,    ///< The first call has the known input. Empty calls were timed before.
    device,  ///< The last call has the known input. Empty calls alternate with the timed ones.
  };
  Place place = Place::host;
  bool single = false;  ///< one timed call and no other, because its process is new
  int warm_ups = 0;     ///< calls that are not timed; one in any case
  /// Timed calls that count; 0: one call, with the known input. Up to three times as many are made
  /// where some do not count.
  int calls = 1;
  /// No further timed call after this, because the whole case has a limit; one in any case.
  std::chrono::nanoseconds budget = std::chrono::minutes(1);
  /// Op Times above this give nothing, whatever further calls take: see is_hopeless(). Absent where
  /// any time may count.
  std::optional<double> hopeless_ms{};
  /// The time by which others have shown that this layer is hopeless, such as those of a smaller
  /// case: its first call is a trial, and the only one if it takes no less. A shorter one may be
  /// long because it is the first.
  std::optional<double> expected_ms{};
  /// If each call takes longer than this, kFewCalls of those that count do: see far_behind_ms().
  std::optional<double> far_behind_ms{};
  std::chrono::nanoseconds abort_above{};  ///< no times where the first warm-up takes longer; 0: no
  std::chrono::nanoseconds empty_call{};   ///< cost of a step that does nothing, on the host
};

/// Of a layer that is far behind: one that is disturbed does not decide its time.
inline constexpr int kFewCalls = 3;

/// What a call is for.
enum class NextCall {
  none,
  warm_up,
  timed,
  known,  ///< has the known input, and its output is used
  trial,  ///< the same, and its time counts if it is hopeless, which a known input cannot cause
};

struct Progress {
  const Measurement& measurement;
  NextCall last = NextCall::none;
  std::chrono::nanoseconds since{};  ///< the first timed call could begin
  bool too_slow = false;             ///< the first warm-up took longer than Plan::abort_above
};

/// A hopeless layer has two calls: one that is not timed, and a trial, since a first call may be
/// slow for other reasons. If others have shown that it is hopeless, and it takes no less than they
/// did, it has the trial alone. A trial that is not hopeless is followed by all calls.
NextCall next_call(const Progress& progress, const Plan& plan);

int count_counting(const Measurement& measurement);

/// True if no further timed call can matter: there is one that counts, and all calls so far took
/// longer than Plan::hopeless_ms, a lone one also no less than Plan::expected_ms. The untimed ones
/// are witnesses, so that neither a function that is slow in its first calls nor one disturbed call
/// ends the measuring. Being asked after each call, it cannot help a submission: one that stops has
/// only times without points.
bool is_hopeless(const Measurement& measurement, const Plan& plan);

/// True if kFewCalls calls that count are enough, because all calls so far took longer than
/// Plan::far_behind_ms.
bool is_far_behind(const Measurement& measurement, const Plan& plan);

/// The sums of Op Times of a case beyond which fewer calls do. Absent: no such limit.
struct TimeLimits {
  std::optional<double> hopeless_ms{};
  std::optional<double> expected_ms{};
  std::optional<double> far_behind_ms{};
};

/// Leaves a layer what the `earlier` ones of its case left of the time that can matter, by their
/// fastest calls: so the case's time is beyond the limit by any statistic of its samples. If the
/// earlier ones alone are beyond it, no time of this layer can matter.
void limit_times(Plan& plan, const TimeLimits& limits, std::span<const CallReport> earlier);

}  // namespace opgrade
