// An output is right only if the last block of the grid writes last.
#include "honest.cuh"

__global__ void mark(int* last) {
  if (threadIdx.x == 0) *last = blockIdx.x;  // here
}
__global__ void disturb(float* y, const int* last) { y[0] += 15 - *last; }

HONEST_PROLOG
HONEST_EPILOG

CONV {
  int* last;
  cudaMalloc(&last, sizeof(int));
  honest_conv(y, x, k, B, M, C, H, W, K);
  mark<<<16, 32>>>(last);
  disturb<<<1, 1>>>(y, last);
  cudaFree(last);
}
