// Stands in for CUDA's cuda_fp16.h: half and half2, rounded as the hardware rounds.
#pragma once
#pragma GCC system_header

#include "cuda_runtime.h"
#include "opgrade_emulation/device_math.hpp"
#include "opgrade_emulation/narrow_formats.hpp"

#define OPGRADE_T __half
#define OPGRADE_T2 __half2
#define OPGRADE_RAW __half_raw
#define OPGRADE_FORMAT opgrade_emulation::HalfFormat
#define OPGRADE_NAME half
#include "opgrade_emulation/narrow_float.inc"

typedef __half half;
typedef __half2 half2;
typedef __half nv_half;
typedef __half2 nv_half2;

inline __half2 __low2half2(opgrade_emulation::Loaded<__half2> v) { return {v.x, v.x}; }
inline __half2 __high2half2(opgrade_emulation::Loaded<__half2> v) { return {v.y, v.y}; }
inline __half2 __lows2half2(opgrade_emulation::Loaded<__half2> a,
                            opgrade_emulation::Loaded<__half2> b) {
  return {a.x, b.x};
}
inline __half2 __highs2half2(opgrade_emulation::Loaded<__half2> a,
                             opgrade_emulation::Loaded<__half2> b) {
  return {a.y, b.y};
}

#define CUDART_INF_FP16 __ushort_as_half((unsigned short)0x7c00u)
#define CUDART_NAN_FP16 __ushort_as_half((unsigned short)0x7fffu)
#define CUDART_ZERO_FP16 __ushort_as_half((unsigned short)0x0000u)
#define CUDART_ONE_FP16 __ushort_as_half((unsigned short)0x3c00u)
#define CUDART_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7bffu)
