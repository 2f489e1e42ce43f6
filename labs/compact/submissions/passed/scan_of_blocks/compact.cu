// Each block counts its numbers in shared memory and takes room for all of them at once.
#include "compact.h"

__global__ void keep(const int* x, int* kept, int n, int* count) {
  __shared__ int here, start;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) here = 0;
  __syncthreads();
  const bool positive = i < n && x[i] > 0;
  const int place = positive ? atomicAdd(&here, 1) : 0;
  __syncthreads();
  if (threadIdx.x == 0) start = atomicAdd(count, here);
  __syncthreads();
  if (positive) kept[start + place] = x[i];
}

int compact(const int* x, int* kept, int n) {
  int* device_count;
  cudaMalloc(&device_count, sizeof(int));
  cudaMemset(device_count, 0, sizeof(int));
  keep<<<(n + 255) / 256, 256>>>(x, kept, n, device_count);
  int count;
  cudaMemcpy(&count, device_count, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(device_count);
  return count;
}
