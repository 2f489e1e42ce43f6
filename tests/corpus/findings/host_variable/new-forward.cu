// The kernel reads a host variable by its address.
#include "honest.cuh"

float scale[32] = {1};

__global__ void scaled(const float* scale, float* y) {
  y[threadIdx.x] = scale[threadIdx.x];  // here
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float* scratch;
  cudaMalloc(&scratch, 32 * sizeof(float));
  scaled<<<1, 32>>>(scale, scratch);
  cudaFree(scratch);
  honest_conv(y, x, k, B, M, C, H, W, K);
}
