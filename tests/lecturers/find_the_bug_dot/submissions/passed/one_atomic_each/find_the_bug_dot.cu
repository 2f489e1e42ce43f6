#include "find_the_bug_dot.h"

constexpr int kBlock = 256;

// Each block adds up its products in shared memory, then adds its sum to *result.
__global__ void add_products(const float* x, const float* y, float* result, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(result, x[i] * y[i]);
}

void dot(const float* x, const float* y, float* result, int n) {
  const int blocks = n < 512 * kBlock ? (n + kBlock - 1) / kBlock : 512;
  add_products<<<blocks, kBlock>>>(x, y, result, n);
}
