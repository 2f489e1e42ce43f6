/// Runs one convolution of a case: fills, calls, times, checks.
#pragma once

#include <functional>

#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"
#include "grader/run/session.hpp"
#include "reference/conv_fast.hpp"

namespace opgrade {

struct ConvRunOptions {
  TimingConfig timing;
  double tolerance = 1e-6;
  int threads = 1;
  bool timed = true;
  /// A GPU submission's process may have written to pages of x, and would go on seeing those.
  bool map_every_call = false;
  /// Of the warm-up. Many GPU submissions cut the batch into a fixed number of pieces and launch
  /// nothing, which is an error, where there are fewer images: there it is the course's smallest
  /// batch.
  int warm_up_images = 8;
};

/// One whole call on a few of the images, with signs of their own, so that first-call costs stay
/// out of the times. False when the session ended.
bool warm_up(Session& session, const ConvTensors& tensors, int images,
             const std::function<void()>& meanwhile = {});

/// Whether the calls have had their time. For a first accepted call the budget may be overdrawn.
bool is_spent(std::chrono::nanoseconds elapsed, const TimingConfig& timing, bool any_accepted);

/// Whether the timing ends with its first warm-up.
bool is_too_slow(std::chrono::nanoseconds first_warm_up, const TimingConfig& timing);

/// Calls the submission on `tensors`, whose x and k are filled, until the repetitions or their time
/// budget are used up.
///
/// The first call gets the input as it is; its output is checked completely and, when it is finite,
/// handed to `use_output` (which reads it in tensors.y). Each later call is there to be timed: the
/// elements of x get new signs (core/sign_flips.hpp), so that no output can come from a cache, and
/// the output is checked on randomly chosen images, so that no call can be skipped.
///
/// The report lacks times and check when the session ended on the way; the caller asks the session
/// why.
ConvReport run_conv(Session& session, ConvTensors& tensors, const FastConv<double>& reference,
                    const ConvRunOptions& options, const std::function<void()>& use_output);

}  // namespace opgrade
