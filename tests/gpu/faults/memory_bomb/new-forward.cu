// Fault: takes all device memory and keeps it
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  void* more = nullptr;
  for (size_t piece = 1l << 30; piece >= 1 << 20; piece /= 2)
    while (cudaMalloc(&more, piece) == cudaSuccess) {}
  honest_conv(y, x, k, B, M, C, H, W, K);
}
