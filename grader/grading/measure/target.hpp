/// One submission with its inputs, on the CPU or on a device, as the measuring loop calls it.
#pragma once

#include <chrono>
#include <optional>

#include "grader/base/core/measurement.hpp"

namespace opgrade {

enum class Input {
  known,  ///< as it is: the submission may have seen it, or worked it out
  fresh,  ///< made for this call
};

/// The output of a call, checked.
struct Proof {
  bool right = false;
  bool stayed = true;      ///< the output was all there when the call was reported done
  bool overtaken = false;  ///< it was not, and no call with this way of reporting can be timed
};

/// Between its functions the submission is stopped.
class Target {
 public:
  virtual ~Target() = default;

  /// The grader's clock.
  virtual std::chrono::nanoseconds now() = 0;

  /// One call that does nothing, in a process of the grader's own; nothing where the cost of such a
  /// call is known already.
  virtual std::optional<std::chrono::nanoseconds> empty_call() { return std::nullopt; }

  /// Gives the next call its input and an output without content. Not timed. False when the
  /// submission has ended.
  virtual bool prepare(Input input) = 0;

  /// The call, timed, and the submission stopped again; whether the device was slowed meanwhile is
  /// in `use`. Nothing when the submission has ended, or cannot be timed in this way.
  virtual std::optional<CallSample> run() = 0;

  /// Checks the call's output. Not timed.
  virtual Proof check() = 0;
};

}  // namespace opgrade
