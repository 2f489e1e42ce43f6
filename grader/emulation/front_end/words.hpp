// Clang reads this file before a CUDA source: it defines the words of CUDA's headers as
// annotations. For Clang every function belongs to both sides; rules.cpp has nvcc's rules about the
// sides.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((annotate("device")))
#define __host__ __attribute__((annotate("host")))
#define __shared__ __attribute__((annotate("shared")))
#define __constant__ __attribute__((annotate("constant")))
#define __managed__ __attribute__((annotate("managed")))
#define __grid_constant__ __attribute__((annotate("grid_constant")))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(threads, ...) __attribute__((launch_bounds(threads)))
#define __maxnreg__(registers)
#define __cluster_dims__(...)
#define __block_size__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#define __device_builtin__
#define __cudart_builtin__

// Under C++20 Clang forgets that unit.cpp asked for this.
#pragma clang force_cuda_host_device begin

#include <cuda_runtime.h>

// Clang calls this function for each `<<<`.
extern "C" int __cudaPushCallConfiguration(dim3 grid, dim3 block = 1, size_t shared = 0,
                                           cudaStream_t stream = nullptr);
