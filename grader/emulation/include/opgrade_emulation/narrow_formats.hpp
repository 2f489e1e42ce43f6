// Rounding between float or double and the 16-bit formats, to nearest even unless named otherwise.
#pragma once

#include <type_traits>

#include "types.hpp"

namespace opgrade_emulation {

enum class Rounding { nearest, zero, up, down };

inline unsigned float_bits(float x) {
  unsigned bits;
  __builtin_memcpy(&bits, &x, 4);
  return bits;
}
inline float bits_float(unsigned bits) {
  float x;
  __builtin_memcpy(&x, &bits, 4);
  return x;
}

// The float nearest to x, whose last bit records that digits were cut off. Rounding this float
// equals rounding x directly, because float has more than two spare bits.
inline float round_to_odd(double x) {
  const float f = (float)x;
  if ((double)f == x || x != x || __builtin_isinf(f)) {
    return __builtin_isinf(f) && !__builtin_isinf(x) ? __builtin_copysignf(3.402823466e+38f, f) : f;
  }
  unsigned bits = float_bits(f);
  if (__builtin_fabs((double)f) > __builtin_fabs(x)) --bits;
  return bits_float(bits | 1u);
}
// x * y + z for 16-bit x, y, z as a double whose last bit records lost digits. The product is
// exact, and the rounding error of the sum is known.
inline double fused_to_odd(float x, float y, float z) {
  const double product = (double)x * (double)y;
  const double sum = product + (double)z;
  if (!__builtin_isfinite(sum)) return sum;
  const double virtual_z = sum - product;
  const double lost = (product - (sum - virtual_z)) + ((double)z - virtual_z);
  if (lost == 0.0) return sum;
  unsigned long long bits;
  __builtin_memcpy(&bits, &sum, 8);
  if (!(bits & 1u)) {
    const bool away = (lost > 0.0) == (sum > 0.0);
    bits = away ? bits | 1u : bits - 1;
  }
  double odd;
  __builtin_memcpy(&odd, &bits, 8);
  return odd;
}

// Rounds a float's magnitude to kFraction fraction bits.
template <int kFraction, int kBias>
inline unsigned short narrow(float x, Rounding rounding) {
  constexpr int kExponents = 15 - kFraction;
  constexpr unsigned kInfinity = ((1u << kExponents) - 1) << kFraction;
  const unsigned bits = float_bits(x);
  const unsigned sign = bits >> 31;
  const unsigned magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return 0x7fff;  // the hardware's NaN
  if (magnitude == 0x7f800000u) return (unsigned short)(sign << 15 | kInfinity);
  int exponent = (int)(magnitude >> 23) - 127;
  unsigned long long fraction = magnitude & 0x7fffffu;
  if (magnitude >> 23 != 0) {
    fraction |= 0x800000u;
  } else {
    exponent = -126;
  }
  int cut = 23 - kFraction;
  int biased = exponent + kBias;
  if (biased < 1) {  // becomes subnormal
    cut += 1 - biased;
    biased = 0;
  }
  if (cut > 40) cut = 40;
  unsigned long long kept = fraction >> cut;
  const unsigned long long rest = fraction & ((1ull << cut) - 1), half = 1ull << (cut - 1);
  const bool up = rounding == Rounding::nearest ? rest > half || (rest == half && (kept & 1u))
                  : rounding == Rounding::zero  ? false
                  : rounding == Rounding::up    ? rest != 0 && !sign
                                                : rest != 0 && sign;
  kept += up;
  unsigned out =
      biased == 0 ? (unsigned)kept : ((unsigned)(biased - 1) << kFraction) + (unsigned)kept;
  if (out >= kInfinity) {
    const bool stays_finite = rounding == Rounding::zero || (rounding == Rounding::up && sign) ||
                              (rounding == Rounding::down && !sign);
    out = stays_finite ? kInfinity - 1 : kInfinity;
  }
  return (unsigned short)(sign << 15 | out);
}

struct HalfFormat {
  static constexpr int kCut = 13;                                       ///< of a float's bits
  static constexpr unsigned kLeastExponent = 113, kMostExponent = 142;  ///< a float's, of numbers
  static unsigned short from(float x, Rounding rounding) { return narrow<10, 15>(x, rounding); }
#if defined(__F16C__)
  static unsigned short from(float x) {
    typedef float Four __attribute__((vector_size(16)));
    typedef short Eight __attribute__((vector_size(16)));
    if (x != x) return 0x7fff;
    const Eight all = (Eight)__builtin_ia32_vcvtps2ph(Four{x, 0, 0, 0}, 0);
    return (unsigned short)all[0];
  }
  static float to(unsigned short bits) {
    typedef short Eight __attribute__((vector_size(16)));
    return __builtin_ia32_vcvtph2ps(Eight{(short)bits, 0, 0, 0, 0, 0, 0, 0})[0];
  }
#else
  static unsigned short from(float x) { return narrow<10, 15>(x, Rounding::nearest); }
  static float to(unsigned short bits) {
    const unsigned sign = (unsigned)(bits & 0x8000u) << 16;
    const unsigned exponent = (bits >> 10) & 0x1fu, fraction = bits & 0x3ffu;
    if (exponent == 31) return bits_float(sign | 0x7f800000u | fraction << 13);
    if (exponent != 0) return bits_float(sign | (exponent + 112) << 23 | fraction << 13);
    const float magnitude = (float)fraction * 5.9604644775390625e-8f;  // 2^-24
    return sign != 0 ? -magnitude : magnitude;
  }
#endif
};

struct BfloatFormat {
  static constexpr int kCut = 16;
  static constexpr unsigned kLeastExponent = 1, kMostExponent = 254;
  static unsigned short from(float x, Rounding rounding) { return narrow<7, 127>(x, rounding); }
  static unsigned short from(float x) {
    if (x != x) return 0x7fff;
    const unsigned bits = float_bits(x);
    return (unsigned short)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
  static float to(unsigned short bits) { return bits_float((unsigned)bits << 16); }
};

/// x * y + z for 16-bit x, y, z, rounded once. The nearest float serves as well as the exact sum,
/// unless it is half way between two of the format's numbers or below the normal ones.
template <class Format>
inline unsigned short fused(float x, float y, float z) {
#if defined(__FMA__)
  const float sum = __builtin_fmaf(x, y, z);
  const unsigned bits = float_bits(sum);
  const bool normal = (bits >> 23 & 0xffu) - Format::kLeastExponent <=
                      Format::kMostExponent - Format::kLeastExponent;
  const bool half_way = (bits & ((1u << Format::kCut) - 1)) == 1u << (Format::kCut - 1);
  if (normal && !half_way) return Format::from(sum);
#endif
  return Format::from(round_to_odd(fused_to_odd(x, y, z)));
}

/// An argument in the counting build. g++ calls no hook when it copies an argument out of memory,
/// except for a constructor's load.
template <class T>
struct CountedArgument : T {
  OPGRADE_IN_PLACE CountedArgument(const T& from) : T(from) {}
  template <class Number, std::enable_if_t<std::is_arithmetic<Number>::value, int> = 0>
  CountedArgument(Number number) : T(number) {}
};
template <class T>
using Loaded = std::conditional_t<kCounts, CountedArgument<T>, T>;

}  // namespace opgrade_emulation
