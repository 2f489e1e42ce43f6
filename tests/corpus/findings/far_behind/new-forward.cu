// A read 64 MiB behind a buffer.
#include "honest.cuh"

__global__ void disturb(float* y, const float* buffer, long far) {
  if (buffer[far] == 1.5f) y[0] = 0;  // here
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float* buffer;
  cudaMalloc(&buffer, 64 * sizeof(float));
  honest_conv(y, x, k, B, M, C, H, W, K);
  disturb<<<1, 1>>>(y, buffer, 16 << 20);
  cudaFree(buffer);
}
