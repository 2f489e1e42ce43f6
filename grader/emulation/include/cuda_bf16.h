// Stands in for CUDA's cuda_bf16.h: bfloat16, rounded as the hardware rounds.
#pragma once
#pragma GCC system_header

#include "cuda_runtime.h"
#include "opgrade_emulation/device_math.hpp"
#include "opgrade_emulation/narrow_formats.hpp"

#define OPGRADE_T __nv_bfloat16
#define OPGRADE_T2 __nv_bfloat162
#define OPGRADE_RAW __nv_bfloat16_raw
#define OPGRADE_FORMAT opgrade_emulation::BfloatFormat
#define OPGRADE_NAME bfloat16
#include "opgrade_emulation/narrow_float.inc"

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
