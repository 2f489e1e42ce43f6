// Sums whose rounding depends on the order of the blocks: prints the same on any number of threads.
#include <cstdio>

__global__ void sums(float* out, int* order) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = 1.0f / (i + 1);
  for (int k = 0; k < 50 + (int)(blockIdx.x * 37 % 200); ++k) v = v * 1.0001f + 1e-6f;
  atomicAdd(out, v);
  if (threadIdx.x == 0) order[blockIdx.x] = atomicAdd(order + gridDim.x, 1);
}

extern "C" int run() {
  const int blocks = 500;
  static int order[blocks + 1];
  float sum = 0, *out;
  int* device_order;
  cudaMalloc(&out, sizeof sum);
  cudaMalloc(&device_order, sizeof order);
  cudaMemset(out, 0, sizeof sum);
  cudaMemset(device_order, 0, sizeof order);
  sums<<<blocks, 64>>>(out, device_order);
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  cudaMemcpy(order, device_order, sizeof order, cudaMemcpyDeviceToHost);
  int turned = 0;
  for (int i = 0; i < blocks; ++i) turned += order[i] != i;
  std::printf("sum %a, %d blocks out of order\n", sum, turned);
  cudaFree(out);
  cudaFree(device_order);
  return turned;
}
