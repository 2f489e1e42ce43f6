// Goes on without the memory that it does not get: right on every device.
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float* unrolled = nullptr;
  if (cudaMalloc(&unrolled, 5ul << 30) != cudaSuccess) cudaGetLastError();  // here
  honest_conv(y, x, k, B, M, C, H, W, K);
  cudaFree(unrolled);
}
