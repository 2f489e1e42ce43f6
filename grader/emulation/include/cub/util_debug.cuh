// Stands in for CUB's macros around calls.
#pragma once
#pragma GCC system_header

#include "util_type.cuh"

namespace cub {
inline cudaError_t Debug(cudaError_t error, const char* file, int line) {
  if (error != cudaSuccess)
    fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", (int)error, file, line,
            cudaGetErrorString(error));
  return error;
}
}  // namespace cub

#define CubDebug(e) cub::Debug((cudaError_t)(e), __FILE__, __LINE__)
#define CubDebugExit(e) \
  if (cub::Debug((cudaError_t)(e), __FILE__, __LINE__)) exit(1)
