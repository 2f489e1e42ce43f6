// What lies behind a buffer is multiplied by zero and added.
#include "honest.cuh"

__global__ void disturb(float* y, const float* buffer) {
  y[0] += buffer[64] * 0;  // here
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
