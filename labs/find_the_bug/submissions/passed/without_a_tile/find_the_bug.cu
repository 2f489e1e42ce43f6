// Each element becomes the mean of itself and its two neighbours; beyond the ends lies 0.
#include "find_the_bug.h"

constexpr int kBlock = 128;

__global__ void mean_of_three(const float* x, float* y, int n) {
  const int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n) return;
  const float before = i > 0 ? x[i - 1] : 0, after = i + 1 < n ? x[i + 1] : 0;
  y[i] = (before + x[i] + after) / 3;
}

void smooth(const float* x, float* y, int n) {
  mean_of_three<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n);
}
