// An output is right only if the last thread of the block writes last.
#include "honest.cuh"

__global__ void disturb(float* y) {
  __shared__ int last;
  last = threadIdx.x;  // here
  __syncthreads();
  if (threadIdx.x == 0) y[0] += 63 - last;
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  honest_conv(y, x, k, B, M, C, H, W, K);
  disturb<<<1, 64>>>(y);
}
