#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#include "matmul.h"

// CHECK_CUDA(cudaMalloc(...)) stops at the first CUDA call that fails and prints its line. After a
// kernel launch write CHECK_CUDA(cudaGetLastError()).
#define CHECK_CUDA(call)                                                                   \
  do {                                                                                     \
    const cudaError_t status = (call);                                                     \
    if (status != cudaSuccess) {                                                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      std::exit(1);                                                                        \
    }                                                                                      \
  } while (0)

__global__ void multiply(const float* A, const float* B, float* C, int M, int N, int K) {
  // Insert your kernel here: which row and column of C are this thread's? Return where they lie
  // outside of C, add up in a local variable, and write each element of C once.
}

// The matrix product on the GPU: A, B and C are in device memory already, and the caller waits for
// the device. Op Time is this function.
extern "C" void solve(const float* A, const float* B, float* C, int M, int N, int K) {
  // Choose the grid and block sizes, at most 1024 threads a block, and launch multiply.
}
