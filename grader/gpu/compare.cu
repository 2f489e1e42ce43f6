#include <cuda_runtime.h>

#include "grader/gpu/compare.hpp"

namespace opgrade {
namespace {

constexpr int kThreads = 256;
constexpr int kEach = 8;  // elements of a thread, all on their way at once

/// Blocks: elements of an image, images.
__global__ void __launch_bounds__(kThreads)
    compare(const float* __restrict__ y, const double* __restrict__ want,
            const unsigned long long* __restrict__ largest, const double* __restrict__ x_squares,
            double k_rms, Comparison* comparison, ConvShape s, int first, double bound) {
  __shared__ double block_worst[kThreads];
  const long long per_image = s.y_image();
  const int image = blockIdx.y;
  const long long begin = static_cast<long long>(blockIdx.x) * (kThreads * kEach) + threadIdx.x;
  const double* const image_want = want + image * per_image;
  const float* const image_y = y + (first + image) * per_image;
  double error[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const long long at = begin + i * kThreads;
    error[i] = at < per_image ? fabs(static_cast<double>(image_y[at]) - image_want[at]) : 0;
  }
  const double x_rms = sqrt(x_squares[first + image] / s.x_image());
  // error_scale() of check/conv_check.hpp
  const double typical = sqrt(static_cast<double>(s.C) * s.K * s.K) * x_rms * k_rms;
  const double largest_y = __longlong_as_double(static_cast<long long>(largest[image]));
  const double scale = typical > largest_y ? typical : largest_y;
  const double allowed = bound * scale;
  double worst = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    if (!(error[i] <= allowed)) {  // true for NaN
      atomicAdd(&comparison->mismatches, 1ULL);
      atomicMin(&comparison->first, static_cast<unsigned long long>((first + image) * per_image +
                                                                    begin + i * kThreads));
      if (isnan(error[i])) atomicExch(&comparison->not_a_number, 1);
    }
    worst = fmax(worst, error[i]);  // passes over NaN
  }
  block_worst[threadIdx.x] = worst;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      block_worst[threadIdx.x] = fmax(block_worst[threadIdx.x], block_worst[threadIdx.x + half]);
    __syncthreads();
  }
  // One division a block: it is monotonic, so the largest error has the largest ratio.
  if (threadIdx.x == 0 && block_worst[0] > 0) {
    const double ratio = scale > 0 ? block_worst[0] / scale : INFINITY;
    atomicMax(&comparison->worst, static_cast<unsigned long long>(__double_as_longlong(ratio)));
  }
}

}  // namespace

void launch_compare(const float* y, const double* want, const unsigned long long* largest,
                    const double* x_squares, double k_rms, Comparison* comparison,
                    const ConvShape& s, int first, int count, double bound) {
  constexpr int kPerBlock = kThreads * kEach;
  const dim3 blocks(static_cast<unsigned>((s.y_image() + kPerBlock - 1) / kPerBlock), count);
  compare<<<blocks, kThreads>>>(y, want, largest, x_squares, k_rms, comparison, s, first, bound);
}

}  // namespace opgrade
