// A vector of two floats at an odd place: a GPU stops the kernel.
#include "honest.cuh"

__global__ void disturb(float* y, const float* buffer, int odd) {
  const float2 pair = *reinterpret_cast<const float2*>(buffer + odd);  // here
  if (pair.x == 1.5f) y[0] = 0;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float* buffer;
  cudaMalloc(&buffer, 64 * sizeof(float));
  cudaMemset(buffer, 0, 64 * sizeof(float));
  honest_conv(y, x, k, B, M, C, H, W, K);
  disturb<<<1, 1>>>(y, buffer, 1);
  cudaFree(buffer);
}
