#include "histogram.h"

__global__ void count(const unsigned char* x, unsigned int* bins, int n) {
  __shared__ unsigned int own[256];
  own[threadIdx.x] = 0;
  __syncthreads();
  for (long long i = static_cast<long long>(blockIdx.x) * 256 + threadIdx.x; i < n;
       i += static_cast<long long>(gridDim.x) * 256)
    own[x[i]] = own[x[i]] + 1;
  __syncthreads();
  atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

void histogram(const unsigned char* x, unsigned int* bins, int n) {
  const int blocks = n < 256 * 256 ? (n + 255) / 256 : 256;
  count<<<blocks, 256>>>(x, bins, n);
}
