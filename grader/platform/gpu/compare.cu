#include <cuda_runtime.h>

#include "grader/platform/gpu/compare.hpp"

namespace opgrade {
namespace {

constexpr int kThreads = 256;
constexpr int kEach = 8;  // elements of a thread, all loads in flight at once

/// Grid: x covers the elements of a part, y the parts.
__global__ void __launch_bounds__(kThreads)
    compare(const float* __restrict__ y, const double* __restrict__ want,
            const unsigned long long* __restrict__ largest, const double* __restrict__ least_scales,
            Comparison* comparison, long long per_part, int first, double bound) {
  __shared__ double block_worst[kThreads];
  const int part = blockIdx.y;
  const long long begin = static_cast<long long>(blockIdx.x) * (kThreads * kEach) + threadIdx.x;
  const double* const part_want = want + part * per_part;
  const float* const part_y = y + (first + part) * per_part;
  double error[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const long long at = begin + i * kThreads;
    error[i] = at < per_part ? fabs(static_cast<double>(part_y[at]) - part_want[at]) : 0;
  }
  const double least = least_scales[first + part];
  const double largest_y = __longlong_as_double(static_cast<long long>(largest[part]));
  const double scale = least > largest_y ? least : largest_y;  // also if `least` is NaN
  const double allowed = bound * scale;
  double worst = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    if (!(error[i] <= allowed)) {  // true for NaN
      atomicAdd(&comparison->mismatches, 1ULL);
      atomicMin(&comparison->first,
                static_cast<unsigned long long>((first + part) * per_part + begin + i * kThreads));
      if (isnan(error[i])) atomicExch(&comparison->not_a_number, 1);
    }
    worst = fmax(worst, error[i]);  // ignores NaN
  }
  block_worst[threadIdx.x] = worst;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      block_worst[threadIdx.x] = fmax(block_worst[threadIdx.x], block_worst[threadIdx.x + half]);
    __syncthreads();
  }
  // One division per block is enough: it is monotonic, so the largest error has the largest ratio.
  if (threadIdx.x == 0 && block_worst[0] > 0) {
    const double ratio = scale > 0 ? block_worst[0] / scale : INFINITY;
    atomicMax(&comparison->worst, static_cast<unsigned long long>(__double_as_longlong(ratio)));
  }
}

}  // namespace

void launch_compare(const float* y, const double* want, const unsigned long long* largest,
                    const double* least_scales, Comparison* comparison, std::int64_t per_part,
                    int first, int count, double bound) {
  constexpr int kPerBlock = kThreads * kEach;
  const dim3 blocks(static_cast<unsigned>((per_part + kPerBlock - 1) / kPerBlock), count);
  compare<<<blocks, kThreads>>>(y, want, largest, least_scales, comparison, per_part, first, bound);
}

}  // namespace opgrade
