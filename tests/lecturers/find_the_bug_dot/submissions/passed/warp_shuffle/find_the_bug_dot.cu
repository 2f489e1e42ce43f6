#include "find_the_bug_dot.h"

constexpr int kBlock = 256;

// Each block adds up its products in shared memory, then adds its sum to *result.
__global__ void add_products(const float* x, const float* y, float* result, int n) {
  float own = 0;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock)
    own = fmaf(x[i], y[i], own);
  for (int far = 16; far > 0; far /= 2) own += __shfl_down_sync(0xffffffff, own, far);
  if (threadIdx.x % 32 == 0) atomicAdd(result, own);
}

void dot(const float* x, const float* y, float* result, int n) {
  const int blocks = n < 512 * kBlock ? (n + kBlock - 1) / kBlock : 512;
  add_products<<<blocks, kBlock>>>(x, y, result, n);
}
