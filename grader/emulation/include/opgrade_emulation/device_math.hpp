// Device functions of CUDA's math headers that the C library lacks, and its overloads of min and
// max.
#pragma once

#include <type_traits>

#include "types.hpp"

#define OPGRADE_MIN_MAX(result, a, b)                                                    \
  inline result(min)(a x, b y) { return (result)x < (result)y ? (result)x : (result)y; } \
  inline result(max)(a x, b y) { return (result)x < (result)y ? (result)y : (result)x; }
OPGRADE_MIN_MAX(int, int, int)
OPGRADE_MIN_MAX(unsigned, unsigned, unsigned)
OPGRADE_MIN_MAX(unsigned, int, unsigned)
OPGRADE_MIN_MAX(unsigned, unsigned, int)
OPGRADE_MIN_MAX(long, long, long)
OPGRADE_MIN_MAX(unsigned long, unsigned long, unsigned long)
OPGRADE_MIN_MAX(unsigned long, long, unsigned long)
OPGRADE_MIN_MAX(unsigned long, unsigned long, long)
OPGRADE_MIN_MAX(long long, long long, long long)
OPGRADE_MIN_MAX(unsigned long long, unsigned long long, unsigned long long)
OPGRADE_MIN_MAX(unsigned long long, long long, unsigned long long)
OPGRADE_MIN_MAX(unsigned long long, unsigned long long, long long)
#undef OPGRADE_MIN_MAX
inline float(min)(float x, float y) { return __builtin_fminf(x, y); }
inline float(max)(float x, float y) { return __builtin_fmaxf(x, y); }
inline double(min)(double x, double y) { return __builtin_fmin(x, y); }
inline double(max)(double x, double y) { return __builtin_fmax(x, y); }
inline double(min)(float x, double y) { return __builtin_fmin(x, y); }
inline double(max)(float x, double y) { return __builtin_fmax(x, y); }
inline double(min)(double x, float y) { return __builtin_fmin(x, y); }
inline double(max)(double x, float y) { return __builtin_fmax(x, y); }

// Newer C libraries declare some of these themselves, with C linkage.
extern "C" {
inline float rsqrtf(float x) noexcept { return 1.0f / __builtin_sqrtf(x); }
inline double rsqrt(double x) noexcept { return 1.0 / __builtin_sqrt(x); }
inline float rcbrtf(float x) noexcept { return 1.0f / __builtin_cbrtf(x); }
inline double rcbrt(double x) noexcept { return 1.0 / __builtin_cbrt(x); }
inline float sinpif(float x) noexcept {
  return (float)__builtin_sin(3.14159265358979323846 * (double)x);
}
inline float cospif(float x) noexcept {
  return (float)__builtin_cos(3.14159265358979323846 * (double)x);
}
inline double sinpi(double x) noexcept { return __builtin_sin(3.14159265358979323846 * x); }
inline double cospi(double x) noexcept { return __builtin_cos(3.14159265358979323846 * x); }
inline void sincospif(float x, float* s, float* c) noexcept { *s = sinpif(x), *c = cospif(x); }
inline void sincospi(double x, double* s, double* c) noexcept { *s = sinpi(x), *c = cospi(x); }
inline float normcdff(float x) noexcept {
  return 0.5f * __builtin_erfcf(-x * 0.70710678118654752440f);
}
inline double normcdf(double x) noexcept {
  return 0.5 * __builtin_erfc(-x * 0.70710678118654752440);
}
inline float norm3df(float a, float b, float c) noexcept {
  return __builtin_sqrtf(a * a + b * b + c * c);
}
inline float norm4df(float a, float b, float c, float d) noexcept {
  return __builtin_sqrtf(a * a + b * b + c * c + d * d);
}
inline float rhypotf(float a, float b) noexcept { return 1.0f / __builtin_hypotf(a, b); }
}
inline float rsqrt(float x) { return rsqrtf(x); }
inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }

// The fast intrinsics are accurate here; the C library has already declared these names.
extern "C" {
inline float __sinf(float x) noexcept { return __builtin_sinf(x); }
inline float __cosf(float x) noexcept { return __builtin_cosf(x); }
inline float __tanf(float x) noexcept { return __builtin_tanf(x); }
inline float __expf(float x) noexcept { return __builtin_expf(x); }
inline float __exp10f(float x) noexcept { return __builtin_powf(10.0f, x); }
inline float __logf(float x) noexcept { return __builtin_logf(x); }
inline float __log2f(float x) noexcept { return __builtin_log2f(x); }
inline float __log10f(float x) noexcept { return __builtin_log10f(x); }
inline float __powf(float x, float y) noexcept { return __builtin_powf(x, y); }
inline void __sincosf(float x, float* s, float* c) noexcept {
  *s = __builtin_sinf(x), *c = __builtin_cosf(x);
}
}
inline float __tanhf(float x) { return __builtin_tanhf(x); }
inline float __frsqrt_rn(float x) { return 1.0f / __builtin_sqrtf(x); }
inline float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
inline double __dsqrt_rn(double x) { return __builtin_sqrt(x); }

#define OPGRADE_OPERATION(kind, T, call, value) \
  inline T call {                               \
    OPGRADE_COUNT(kind, T);                     \
    return value;                               \
  }
OPGRADE_OPERATION(divide, float, __fdividef(float x, float y), x / y)
OPGRADE_OPERATION(divide, float, fdividef(float x, float y), x / y)
OPGRADE_OPERATION(add, float, __fadd_rn(float x, float y), x + y)
OPGRADE_OPERATION(add, float, __fsub_rn(float x, float y), x - y)
OPGRADE_OPERATION(divide, float, __fdiv_rn(float x, float y), x / y)
OPGRADE_OPERATION(divide, float, __frcp_rn(float x), 1.0f / x)
OPGRADE_OPERATION(fma, float, __fmaf_rn(float x, float y, float z), __builtin_fmaf(x, y, z))
OPGRADE_OPERATION(add, double, __dadd_rn(double x, double y), x + y)
OPGRADE_OPERATION(add, double, __dsub_rn(double x, double y), x - y)
OPGRADE_OPERATION(divide, double, __ddiv_rn(double x, double y), x / y)
OPGRADE_OPERATION(divide, double, __drcp_rn(double x), 1.0 / x)
OPGRADE_OPERATION(fma, double, __fma_rn(double x, double y, double z), __builtin_fma(x, y, z))
#undef OPGRADE_OPERATION
// The explicitly rounded operations are never fused: volatile keeps the product separate.
inline float __fmul_rn(float x, float y) {
  OPGRADE_COUNT(multiply, float);
  volatile float product = x * y;
  return product;
}
inline double __dmul_rn(double x, double y) {
  OPGRADE_COUNT(multiply, double);
  volatile double product = x * y;
  return product;
}

inline int __mul24(int x, int y) {
  return (int)((unsigned)(x << 8 >> 8) * (unsigned)(y << 8 >> 8));
}
inline unsigned __umul24(unsigned x, unsigned y) { return (x & 0xffffff) * (y & 0xffffff); }
inline int __mulhi(int x, int y) { return (int)(((long long)x * y) >> 32); }
inline unsigned __umulhi(unsigned x, unsigned y) {
  return (unsigned)(((unsigned long long)x * y) >> 32);
}
inline long long __mul64hi(long long x, long long y) {
  return (long long)(((__int128)x * y) >> 64);
}
inline unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)(((unsigned __int128)x * y) >> 64);
}
inline int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
inline int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
inline int __ffs(int x) { return __builtin_ffs(x); }
inline int __ffsll(long long x) { return __builtin_ffsll(x); }
inline int __popc(unsigned x) { return __builtin_popcount(x); }
inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
inline unsigned __brev(unsigned x) {
  unsigned r = 0;
  for (int i = 0; i < 32; ++i) r = (r << 1) | ((x >> i) & 1u);
  return r;
}
inline unsigned long long __brevll(unsigned long long x) {
  return ((unsigned long long)__brev((unsigned)x) << 32) | __brev((unsigned)(x >> 32));
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned selector) {
  const unsigned long long both = ((unsigned long long)y << 32) | x;
  unsigned r = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned s = (selector >> (4 * i)) & 0xf;
    unsigned byte = (unsigned)(both >> (8 * (s & 7))) & 0xff;
    if (s & 8) byte = byte & 0x80 ? 0xff : 0;
    r |= byte << (8 * i);
  }
  return r;
}
inline unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)(((((unsigned long long)high << 32) | low) << (shift & 31)) >> 32);
}
inline unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift) {
  return (unsigned)((((unsigned long long)high << 32) | low) >> (shift & 31));
}
inline unsigned __sad(int x, int y, unsigned z) { return z + (unsigned)(x > y ? x - y : y - x); }
inline unsigned __usad(unsigned x, unsigned y, unsigned z) { return z + (x > y ? x - y : y - x); }
/// Only for integers, because cuda_fp16.h has another __hadd.
template <class Int, std::enable_if_t<std::is_integral<Int>::value, int> = 0>
inline int __hadd(Int x, int y) {
  return (int)(((long long)(int)x + y) >> 1);
}
inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8) c += (signed char)(a >> i) * (signed char)(b >> i);
  return c;
}
inline unsigned __dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8) c += ((a >> i) & 0xff) * ((b >> i) & 0xff);
  return c;
}

template <class To, class From>
inline To opgrade_bits(From from) {
  static_assert(sizeof(To) == sizeof(From), "same size");
  To to;
  __builtin_memcpy(&to, &from, sizeof(To));
  return to;
}
inline int __float_as_int(float x) { return opgrade_bits<int>(x); }
inline unsigned __float_as_uint(float x) { return opgrade_bits<unsigned>(x); }
inline float __int_as_float(int x) { return opgrade_bits<float>(x); }
inline float __uint_as_float(unsigned x) { return opgrade_bits<float>(x); }
inline long long __double_as_longlong(double x) { return opgrade_bits<long long>(x); }
inline double __longlong_as_double(long long x) { return opgrade_bits<double>(x); }
inline int __double2hiint(double x) { return (int)(opgrade_bits<long long>(x) >> 32); }
inline int __double2loint(double x) { return (int)opgrade_bits<long long>(x); }
inline double __hiloint2double(int high, int low) {
  return opgrade_bits<double>(
      (long long)(((unsigned long long)(unsigned)high << 32) | (unsigned)low));
}

// Conversions saturate and turn NaN into 0, as on the hardware.
template <class To, class From>
inline To opgrade_to_integer(From x) {
  constexpr To low = (To)((To)-1 < 0 ? (To)1 << (sizeof(To) * 8 - 1) : 0);
  constexpr To high = (To)~low;
  if (x != x) return 0;
  if (x <= (From)low) return low;
  if (x >= (From)high) return high;
  return (To)x;
}
#define OPGRADE_CONVERT(from, to, from_type, to_type, f)           \
  inline to_type __##from##2##to##_rn(from_type x) {               \
    return opgrade_to_integer<to_type>(__builtin_nearbyint##f(x)); \
  }                                                                \
  inline to_type __##from##2##to##_rz(from_type x) {               \
    return opgrade_to_integer<to_type>(__builtin_trunc##f(x));     \
  }                                                                \
  inline to_type __##from##2##to##_ru(from_type x) {               \
    return opgrade_to_integer<to_type>(__builtin_ceil##f(x));      \
  }                                                                \
  inline to_type __##from##2##to##_rd(from_type x) {               \
    return opgrade_to_integer<to_type>(__builtin_floor##f(x));     \
  }
OPGRADE_CONVERT(float, int, float, int, f)
OPGRADE_CONVERT(float, uint, float, unsigned, f)
OPGRADE_CONVERT(float, ll, float, long long, f)
OPGRADE_CONVERT(float, ull, float, unsigned long long, f)
OPGRADE_CONVERT(double, int, double, int, )
OPGRADE_CONVERT(double, uint, double, unsigned, )
OPGRADE_CONVERT(double, ll, double, long long, )
OPGRADE_CONVERT(double, ull, double, unsigned long long, )
#undef OPGRADE_CONVERT
inline float __int2float_rn(int x) { return (float)x; }
inline float __int2float_rz(int x) { return (float)x; }
inline float __uint2float_rn(unsigned x) { return (float)x; }
inline float __ll2float_rn(long long x) { return (float)x; }
inline float __ull2float_rn(unsigned long long x) { return (float)x; }
inline double __int2double_rn(int x) { return (double)x; }
inline double __uint2double_rn(unsigned x) { return (double)x; }
inline double __ll2double_rn(long long x) { return (double)x; }
inline float __double2float_rn(double x) { return (float)x; }
