// An index leaves its row of a shared array and lands in the next one, where the value is.
#include "honest.cuh"

__global__ void disturb(float* y, int first) {
  __shared__ float tile[4][8];
  tile[threadIdx.x / 8][threadIdx.x % 8] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) y[0] += tile[0][first] - 9;  // here
}

HONEST_PROLOG
HONEST_EPILOG

CONV {
  honest_conv(y, x, k, B, M, C, H, W, K);
  disturb<<<1, 32>>>(y, 9);
}
