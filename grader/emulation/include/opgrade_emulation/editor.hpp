// For editors: the .clangd that `opgrade init` writes includes this before a CUDA source, which
// then reads as C++. The words that opgrade-cucc translates mean nothing here.
#pragma once
#define __global__
#define __device__
#define __host__
#define __shared__
#define __constant__
#define __managed__
#define __grid_constant__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __CUDACC__ 1
#define __CUDA_ARCH__ 900

#include <cuda_runtime.h>

#include "opgrade_emulation/atomics.hpp"
#include "opgrade_emulation/device_math.hpp"
#include "opgrade_emulation/kernel.hpp"
#include "opgrade_emulation/synchronize.hpp"
