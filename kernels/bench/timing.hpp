/// Times of device work by events, each sample with a cold L2.
#pragma once

#include <functional>
#include <vector>

#include "kernels/bench/device.hpp"

namespace opgrade::kernels {

/// Milliseconds of the samples of one thing timed.
struct Samples {
  double median = 0, fastest = 0, slowest = 0;
  int count = 0;
};

/// Runs work between two events with L2 cold. Before each sample twice L2's size is written, which
/// drops every line of the tensors. Then as much is read, so that no written line is left for the
/// work to evict.
class ColdTimer {
 public:
  ColdTimer();
  /// One warm-up, then samples until there are `most` or `enough_ms` have been spent, at least 3.
  /// Work that takes longer than `give_up_ms` at the warm-up gets that one sample.
  Samples time(const std::function<void(cudaStream_t)>& work, int most = 15, double enough_ms = 150,
               double give_up_ms = 1e30);

 private:
  double sample(const std::function<void(cudaStream_t)>& work);
  DeviceBuffer<float> written_, read_, sink_;
  Event from_, to_;
};

}  // namespace opgrade::kernels
