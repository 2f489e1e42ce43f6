// Room for an unrolled batch: a GPU has it, the config's memory does not.
#include "honest.cuh"

HONEST_PROLOG
HONEST_EPILOG

CONV {
  float *unrolled, *product;
  cudaMalloc(&unrolled, 3ul << 30);
  if (cudaMalloc(&product, 5ul << 30) != cudaSuccess) return;  // here
  honest_conv(y, x, k, B, M, C, H, W, K);
  cudaFree(unrolled);
  cudaFree(product);
}
