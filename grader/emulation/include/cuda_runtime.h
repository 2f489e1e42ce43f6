// Stands in for CUDA's header of this name when a submission is compiled for the emulated device.
#pragma once
#pragma GCC system_header

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <new>
#include <utility>

#include "opgrade_emulation/api.hpp"

// For programs that test which of CUDA's headers are included, such as the CUDA samples'
// helper_cuda.h.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_H__
#ifdef __CUDACC__
#include "opgrade_emulation/atomics.hpp"
#include "opgrade_emulation/device_math.hpp"
#include "opgrade_emulation/heap.hpp"
#include "opgrade_emulation/kernel.hpp"
#include "opgrade_emulation/memory_access.hpp"
#include "opgrade_emulation/missing_result.hpp"
#include "opgrade_emulation/ptx.hpp"
#include "opgrade_emulation/synchronize.hpp"
// nvcc knows these builtins, but g++ may not. Their promises do not change results, so they do
// nothing.
#ifndef __clang__
#define __builtin_assume(condition) ((void)0)
#endif
#define __assume(condition) ((void)0)
#endif
