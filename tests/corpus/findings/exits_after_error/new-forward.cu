// Writes past y, looks at the error as the course's macro does, and leaves.
#include <cstdio>
#include <cstdlib>

#include "honest.cuh"

#define CUDA_CHECK(call)                                            \
  if (const cudaError_t error = (call); error != cudaSuccess) {     \
    fprintf(stderr, "CUDA error: %s\n", cudaGetErrorString(error)); \
    exit(EXIT_FAILURE);                                             \
  }

__global__ void late(float* y, long first) { y[first + threadIdx.x] = 0; }  // here

HONEST_PROLOG
HONEST_EPILOG

CONV {
  late<<<1, 32>>>(y, (long)B * M * (H - K + 1) * (W - K + 1) + (1L << 30));
  CUDA_CHECK(cudaDeviceSynchronize());
  honest_conv(y, x, k, B, M, C, H, W, K);
}
