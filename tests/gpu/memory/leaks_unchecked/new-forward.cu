// Right, and leaves three tenths of the device's memory behind in each call; looks at no result
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  size_t left = 0, all = 0;
  cudaMemGetInfo(&left, &all);
  void* kept = nullptr;
  cudaMalloc(&kept, all / 10 * 3);
  honest_conv(y, x, k, B, M, C, H, W, K);
}
