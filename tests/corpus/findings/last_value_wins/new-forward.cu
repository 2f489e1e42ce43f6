// All threads of a block write a value of their own to one place.
#include "honest.cuh"

__global__ void last(float* out) {
  __shared__ float s;
  s = threadIdx.x;  // here
  __syncthreads();
  if (threadIdx.x == 0) out[0] = s;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float* scratch;
  cudaMalloc(&scratch, sizeof(float));
  last<<<1, 64>>>(scratch);
  cudaFree(scratch);
  honest_conv(y, x, k, B, M, C, H, W, K);
}
