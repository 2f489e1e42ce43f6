// Each element becomes the mean of itself and its two neighbours; beyond the ends lies 0.
#include "find_the_bug.h"

constexpr int kBlock = 128;

__global__ void mean_of_three(const float* x, float* y, int n) {
  __shared__ float part[kBlock + 2];
  const int i = blockIdx.x * kBlock + threadIdx.x, at = threadIdx.x + 1;
  part[at] = i < n ? x[i] : 0;
  if (threadIdx.x == kBlock - 1) part[at + 1] = i + 1 < n ? x[i + 1] : 0;
  __syncthreads();
  if (i < n) y[i] = (part[at - 1] + part[at] + part[at + 1]) / 3;
}

void smooth(const float* x, float* y, int n) {
  mean_of_three<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n);
}
