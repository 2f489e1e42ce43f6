// A race, and then abort().
#include <cstdlib>

#include "honest.cuh"

__global__ void racy(float* y) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;  // here
  y[threadIdx.x] = s[63 - threadIdx.x];
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float* scratch;
  cudaMalloc(&scratch, 64 * sizeof(float));
  racy<<<1, 64>>>(scratch);
  abort();
}
