// Stands in for CUB's BlockHistogram.
#pragma once
#pragma GCC system_header

#include "../../opgrade_emulation/atomics.hpp"
#include "../util_type.cuh"

namespace cub {

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

template <class T, int kX, int kItems, int kBins, BlockHistogramAlgorithm = BLOCK_HISTO_SORT,
          int kY = 1, int kZ = 1, int = 0>
class BlockHistogram {
  static constexpr int kThreads = kX * kY * kZ;

 public:
  struct TempStorage {
    unsigned char opgrade_unused;
  };
  OPGRADE_INLINE BlockHistogram() {}
  OPGRADE_INLINE explicit BlockHistogram(TempStorage&) {}

  template <class Counter>
  OPGRADE_INLINE void InitHistogram(Counter (&histogram)[kBins]) {
    for (int bin = opgrade_emulation::thread_of_block(); bin < kBins; bin += kThreads)
      histogram[bin] = 0;
  }
  template <class Counter>
  OPGRADE_INLINE void Histogram(T (&items)[kItems], Counter (&histogram)[kBins]) {
    InitHistogram(histogram);
    __syncthreads();
    Composite(items, histogram);
  }
  template <class Counter>
  OPGRADE_INLINE void Composite(T (&items)[kItems], Counter (&histogram)[kBins]) {
    opgrade_emulation::require_block<kX, kY, kZ>();
    for (const T& item : items) atomicAdd(&histogram[(unsigned)item], (Counter)1);
  }
};

}  // namespace cub
