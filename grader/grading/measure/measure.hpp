/// The measuring loop: which calls are made, which are timed, and which count.
///
/// The rules, each with a test in tests/unit/grading/measure that fails without it:
/// - The number of calls that count is the plan's, whatever their times are, unless they are
///   hopeless: every call so far took longer than any time that can give points.
/// - The first call is not timed, nor one whose input the submission may have known, but for a
///   trial that is hopeless.
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

#include "grader/base/core/measurement.hpp"
#include "grader/grading/measure/next_call.hpp"
#include "grader/grading/measure/target.hpp"

namespace opgrade {

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

Measured measure_calls(Target& target, const Plan& plan);

}  // namespace opgrade
