// A buffer that nothing wrote decides about an output, unless it holds NaN.
#include "honest.cuh"

__global__ void disturb(float* y, const float* buffer) {
  const float unset = buffer[0];  // here
  if (unset == unset) y[0] += unset;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float* buffer;
  cudaMalloc(&buffer, 64 * sizeof(float));
  honest_conv(y, x, k, B, M, C, H, W, K);
  disturb<<<1, 1>>>(y, buffer);
  cudaFree(buffer);
}
