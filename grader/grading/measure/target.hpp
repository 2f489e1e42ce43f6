/// One submission with its inputs, on the CPU or on a device, as the measuring loop calls it.
#pragma once

#include <chrono>
#include <optional>

#include "grader/base/core/measurement.hpp"

namespace opgrade {

enum class Input {
  known,  ///< unchanged: the submission may have seen it, or worked it out
  fresh,  ///< made for this call
};

/// The output of a call, checked.
struct Proof {
  bool right = false;
  bool stayed = true;      ///< the output was all there when the call was reported done
  bool overtaken = false;  ///< it was not, and no call that reports "done" in this way can be timed
};

/// The submission is stopped between these functions.
class Target {
 public:
  virtual ~Target() = default;

  /// The grader's clock.
  virtual std::chrono::nanoseconds now() = 0;

  /// Makes one call that does nothing, in a process of the grader's own. Returns nullopt if the
  /// cost of such a call is known already.
  virtual std::optional<std::chrono::nanoseconds> empty_call() { return std::nullopt; }

  /// Gives the next call its input and an output without content. Not timed. Returns false if the
  /// submission has ended.
  virtual bool prepare(Input input) = 0;

  /// Runs and times the call, then stops the submission again. `use` tells whether the device was
  /// slowed meanwhile. Returns nullopt if the submission has ended or cannot be timed in this way.
  virtual std::optional<CallSample> run() = 0;

  /// Checks the call's output. Not timed.
  virtual Proof check() = 0;
};

}  // namespace opgrade
