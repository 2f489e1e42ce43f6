// Stands in for CUB's DeviceHistogram, for one channel.
#pragma once
#pragma GCC system_header

#include "dispatch.cuh"

namespace cub {

struct DeviceHistogram {
  /// Counts in levels - 1 bins of equal width; samples outside of [lower, upper) are not counted.
  template <class Samples, class Counter, class Level, class N>
  static cudaError_t HistogramEven(void* temporary, size_t& bytes, Samples samples,
                                   Counter* histogram, int levels, Level lower, Level upper, N n,
                                   OPGRADE_STREAM_AND_SITE) {
    if (levels < 2) return cudaErrorInvalidValue;
    return OPGRADE_CALL("cub::DeviceHistogram", (size_t)levels * sizeof(Counter)).run([=] {
      const int bins = levels - 1;
      for (int bin = 0; bin < bins; ++bin) histogram[bin] = 0;
      for (size_t i = 0; i < (size_t)n; ++i) {
        const auto sample = samples[i];
        if ((Level)sample < lower || !((Level)sample < upper)) continue;
        int bin;
        if constexpr (std::is_integral<Level>::value) {
          bin = (int)((unsigned long long)((long long)sample - (long long)lower) *
                      (unsigned long long)bins /
                      (unsigned long long)((long long)upper - (long long)lower));
        } else {
          bin = (int)(((Level)sample - lower) * ((Level)bins / (upper - lower)));
        }
        if (bin >= bins) bin = bins - 1;
        histogram[bin] = histogram[bin] + 1;
      }
    });
  }
  /// Bin i counts the samples of [level[i], level[i + 1]).
  template <class Samples, class Counter, class Level, class N>
  static cudaError_t HistogramRange(void* temporary, size_t& bytes, Samples samples,
                                    Counter* histogram, int levels, const Level* level, N n,
                                    OPGRADE_STREAM_AND_SITE) {
    if (levels < 2) return cudaErrorInvalidValue;
    return OPGRADE_CALL("cub::DeviceHistogram", (size_t)levels * sizeof(Counter)).run([=] {
      for (int bin = 0; bin < levels - 1; ++bin) histogram[bin] = 0;
      for (size_t i = 0; i < (size_t)n; ++i) {
        const Level sample = (Level)samples[i];
        int below = 0, above = levels;  // level[0, below) are not above the sample
        while (below < above) {
          const int middle = (below + above) / 2;
          if (sample < level[middle])
            above = middle;
          else
            below = middle + 1;
        }
        if (below == 0 || below == levels) continue;
        histogram[below - 1] = histogram[below - 1] + 1;
      }
    });
  }
};

}  // namespace cub
