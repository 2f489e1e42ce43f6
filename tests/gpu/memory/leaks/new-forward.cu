// Right, and leaves three tenths of the device's memory behind in each call; ends where there is
// none
#include <cstdio>
#include <cstdlib>

#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  size_t left = 0, all = 0;
  cudaMemGetInfo(&left, &all);
  void* kept = nullptr;
  if (cudaMalloc(&kept, all / 10 * 3) != cudaSuccess) {
    std::puts("no memory");
    std::exit(1);
  }
  honest_conv(y, x, k, B, M, C, H, W, K);
}
