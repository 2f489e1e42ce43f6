// A buffer that no call frees: the second one has no room.
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float* unrolled;
  if (cudaMalloc(&unrolled, 2ul << 30) != cudaSuccess) return;
  honest_conv(y, x, k, B, M, C, H, W, K);
}
