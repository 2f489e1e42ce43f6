// Right, and leaves three tenths of the device's memory behind in each call; looks at no result,
// and writes there
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

__global__ void by_way_of(float* kept, float* y) {
  kept[0] = y[0];
  y[0] = kept[0];
}

CONV {
  size_t left = 0, all = 0;
  cudaMemGetInfo(&left, &all);
  float* kept = nullptr;
  cudaMalloc(&kept, all / 10 * 3);
  honest_conv(y, x, k, B, M, C, H, W, K);
  by_way_of<<<1, 1>>>(kept, y);
}
