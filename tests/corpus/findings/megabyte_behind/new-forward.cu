// A read 2 MiB behind a buffer that lies between others: the watched run stops there, a GPU reads
// the memory of another one.
#include "honest.cuh"

__global__ void disturb(float* y, const float* buffer, long far) {
  if (buffer[far] == 1.5f) y[0] = 0;  // here
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float *buffer, *next;
  cudaMalloc(&buffer, 64 * sizeof(float));
  cudaMalloc(&next, 16 << 20);
  honest_conv(y, x, k, B, M, C, H, W, K);
  disturb<<<1, 1>>>(y, buffer, (2 << 20) / sizeof(float));
  cudaFree(buffer);
  cudaFree(next);
}
