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

inline __nv_bfloat162 make_bfloat162(opgrade_emulation::Loaded<__nv_bfloat16> a,
                                     opgrade_emulation::Loaded<__nv_bfloat16> b) {
  return {a, b};
}
inline __nv_bfloat162 __halves2bfloat162(opgrade_emulation::Loaded<__nv_bfloat16> a,
                                         opgrade_emulation::Loaded<__nv_bfloat16> b) {
  return {a, b};
}
inline __nv_bfloat162 __bfloat162bfloat162(opgrade_emulation::Loaded<__nv_bfloat16> a) {
  return {a, a};
}
inline __nv_bfloat162 __float2bfloat162_rn(float v) { return {__nv_bfloat16(v), __nv_bfloat16(v)}; }
inline __nv_bfloat162 __floats2bfloat162_rn(float a, float b) {
  return {__nv_bfloat16(a), __nv_bfloat16(b)};
}
inline __nv_bfloat162 __float22bfloat162_rn(float2 v) {
  return {__nv_bfloat16(v.x), __nv_bfloat16(v.y)};
}
inline float2 __bfloat1622float2(opgrade_emulation::Loaded<__nv_bfloat162> v) {
  return float2{(float)v.x, (float)v.y};
}
inline __nv_bfloat16 __low2bfloat16(opgrade_emulation::Loaded<__nv_bfloat162> v) { return v.x; }
inline __nv_bfloat16 __high2bfloat16(opgrade_emulation::Loaded<__nv_bfloat162> v) { return v.y; }
