/// Runs one convolution of a case: fills, calls, times, checks.
#pragma once

#include <random>

#include "grader/config/config.hpp"
#include "grader/core/grade.hpp"
#include "grader/run/session.hpp"
#include "reference/conv_fast.hpp"

namespace opgrade {

/// How far the images of a batch have been rotated: place b holds image (b + shift) % B.
struct BatchOrder {
  int shift = 0;
};

struct ConvRunOptions {
  TimingConfig timing;
  double tolerance = 1e-6;
  int threads = 1;
  bool timed = true;
};

/// One whole call on a few of the images, so that first-call costs stay out of the times. False
/// when the session ended.
bool warm_up(Session& session, const ConvTensors& tensors);

/// Whether the timing ends with its first warm-up.
bool is_too_slow(std::chrono::nanoseconds first_warm_up, const TimingConfig& timing);

/// Calls the submission on `tensors`, whose x and k are filled, until the repetitions or their time
/// budget are used up; leaves the last call's output in y.
///
/// Every call gets an input that no call before it had: the images are rotated by a secret step,
/// which `order` records. Every output is checked: the last one completely, those before on
/// randomly chosen images, so that no call can be skipped or answered from a cache.
///
/// The report lacks times and check when the session ended on the way; the caller asks the session
/// why.
ConvReport run_conv(Session& session, ConvTensors& tensors, const FastConv<double>& reference,
                    const ConvRunOptions& options, BatchOrder& order, std::mt19937_64& random);

}  // namespace opgrade
