#include "saxpy.h"

__global__ void add(float a, const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

void saxpy(float a, const float* x, float* y, int n) {
  const size_t bytes = n * sizeof(float);
  float *device_x, *device_y;
  cudaMalloc(&device_x, bytes);
  cudaMalloc(&device_y, bytes);
  cudaMemcpy(device_x, x, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(device_y, y, bytes, cudaMemcpyHostToDevice);
  add<<<(n + 255) / 256, 256>>>(a, device_x, device_y, n);
  cudaMemcpy(y, device_y, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_x);
  cudaFree(device_y);
}
