// Written for a machine with two devices. Here the calls about the second one fail and change nothing.
#include "vector_add.h"

__global__ void add(const float* a, const float* b, float* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) sum[i] = a[i] + b[i];
}

void vector_add(const float* a, const float* b, float* sum, int n) {
  cudaSetDevice(1);
  cudaDeviceEnablePeerAccess(1, 0);
  add<<<(n + 255) / 256, 256>>>(a, b, sum, n);
}
