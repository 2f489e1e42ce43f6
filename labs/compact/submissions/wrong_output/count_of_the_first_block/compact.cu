// A place for each number by an atomic sum.
#include "compact.h"

__global__ void keep(const int* x, int* kept, int n, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) kept[atomicAdd(count, 1)] = x[i];
}

int compact(const int* x, int* kept, int n) {
  int* device_count;
  cudaMalloc(&device_count, sizeof(int));
  cudaMemset(device_count, 0, sizeof(int));
  keep<<<1, 256>>>(x, kept, n, device_count);
  int count;
  cudaMemcpy(&count, device_count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device_count);
  return count;
}
