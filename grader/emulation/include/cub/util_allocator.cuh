// Stands in for CUB's CachingDeviceAllocator, which keeps no memory here.
#pragma once
#pragma GCC system_header

#include "util_debug.cuh"

namespace cub {

struct CachingDeviceAllocator {
  CachingDeviceAllocator() = default;
  explicit CachingDeviceAllocator(bool, bool = false) {}
  CachingDeviceAllocator(unsigned, unsigned, unsigned, size_t = 0, bool = false, bool = false) {}
  OPGRADE_INLINE cudaError_t DeviceAllocate(void** pointer, size_t bytes, cudaStream_t = nullptr) {
    return cudaMalloc(pointer, bytes);
  }
  OPGRADE_INLINE cudaError_t DeviceFree(void* pointer) { return cudaFree(pointer); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

}  // namespace cub
