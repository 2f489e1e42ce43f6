/// The measuring loop: which calls are made, which are timed, and which count.
///
/// The rules, each with a test in tests/unit/grading/measure that fails without it:
/// - The plan sets the number of calls that count, whatever their times are, unless they are
///   hopeless: every call so far took longer than any time that can give points.
/// - The first call is not timed, nor is a call whose input the submission may have known. The
///   exception is a trial that is hopeless.
/// - Every timed call counts, whatever its process claims, except calls that a throttled device
///   slowed.
/// - On a GPU the time of a call ends with the proof that the device has done it.
/// - If the proof came before a call's work, that call and the calls before it do not count. From
///   then on the target waits for the device in each call, so this happens once.
/// - Work that ran on the device before the call is added to the call's time.
/// - The cost of an empty call is subtracted, but no time falls below zero.
/// - If an output changes after "done", its call is timed until the submission's processes are
///   stopped. On a GPU, where stopping a process does not stop the device, such a submission has
///   no times.
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
