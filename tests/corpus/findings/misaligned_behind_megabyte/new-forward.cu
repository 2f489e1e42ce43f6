// A misaligned access behind a read far outside: the watched run stops at the first, a GPU at the second.
#include "honest.cuh"

__global__ void disturb(float* y, const float* buffer, long far, int odd) {
  if (buffer[far] == 1.5f) y[0] = 0;
  const float2 pair = *reinterpret_cast<const float2*>(buffer + odd);  // here
  if (pair.x == 1.5f) y[0] = 0;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float *buffer, *next;
  cudaMalloc(&buffer, 64 * sizeof(float));
  cudaMemset(buffer, 0, 64 * sizeof(float));
  cudaMalloc(&next, 16 << 20);
  honest_conv(y, x, k, B, M, C, H, W, K);
  disturb<<<1, 1>>>(y, buffer, (2 << 20) / sizeof(float), 1);
  cudaFree(buffer);
  cudaFree(next);
}
