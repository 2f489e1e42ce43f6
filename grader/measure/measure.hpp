/// The measuring loop: which calls are made, which are timed, and which count.
///
/// The rules, each with a test in tests/unit/measure that fails without it:
/// - The number of calls that count is the plan's, whatever their times are, unless they are
///   hopeless: every call so far took longer than any time that can give points.
/// - The first call is not timed, nor one whose input the submission may have known.
/// - Every timed call counts, whatever its process claims, but those that a throttled device
/// slowed.
/// - On a GPU the time of a call ends with the proof that the device has done it.
/// - Where the proof came before a call's work, that call and those before it do not count. The
///   target then waits for the device in each call, so this happens once.
/// - Work that ran on the device before the call counts into it.
/// - The cost of an empty call is taken off, down to zero at most.
/// - An output that changes after "done" is timed until its process was stopped. On a GPU, where
///   that stops nothing, such a submission has no times.
#pragma once

#include <chrono>
#include <optional>

#include "grader/core/measurement.hpp"
#include "grader/measure/target.hpp"

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
  std::chrono::nanoseconds abort_above{};  ///< no times where the first warm-up takes longer; 0: no
  std::chrono::nanoseconds empty_call{};   ///< cost of a step that does nothing, on the host
};

struct Measured {
  enum class End {
    complete,
    wrong,  ///< the output of the last call is wrong
    over,   ///< the submission has ended, or cannot be timed
  };
  End end = End::over;
  bool too_slow = false;  ///< the first warm-up took longer than Plan::abort_above
  bool credible = false;  ///< there are times, and they are the submission's
  Measurement measurement;
};

/// True if no further timed call can matter: there is one that counts, and all calls so far took
/// longer than Plan::hopeless_ms. The untimed ones are witnesses, so that neither a function
/// that is slow in its first calls nor one disturbed call ends the measuring. Being asked after
/// each call, it cannot help a submission: one that stops has only times without points.
bool is_hopeless(const Measurement& measurement, const Plan& plan);

Measured measure_calls(Target& target, const Plan& plan);

}  // namespace opgrade
