#include "find_the_bug_dot.h"

constexpr int kBlock = 256;

// Each block adds up its products in shared memory, then adds its sum to *result.
__global__ void add_products(const float* x, const float* y, float* result, int n) {
  __shared__ float part[kBlock];
  const int stride = gridDim.x * kBlock;
  float own = 0;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += stride) own += x[i] * y[i];
  part[threadIdx.x] = own;
  __syncthreads();
  for (int half = kBlock / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  // the last block writes the result
  static float total = 0;
  static unsigned int done = 0;
  if (threadIdx.x == 0) {
    atomicAdd(&total, part[0]);
    __threadfence();
    if (atomicAdd(&done, 1u) == gridDim.x - 1) {
      *result = atomicExch(&total, 0.0f);
      done = 0;
    }
  }
}

void dot(const float* x, const float* y, float* result, int n) {
  const int blocks = n < 512 * kBlock ? (n + kBlock - 1) / kBlock : 512;
  add_products<<<blocks, kBlock>>>(x, y, result, n);
}
