// The 16-bit formats against their definition: a value is rounded to the neighbour that is nearest,
// to the even one of two that are, found by search among all 65536.
#include "opgrade_emulation/narrow_formats.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <random>
#include <vector>

namespace opgrade_emulation {
namespace {

// A number has 113 bits of fraction in x86-64's __float128 and in ARM64's long double.
#if defined(__SIZEOF_FLOAT128__)
using Quad = __float128;
#else
using Quad = long double;
static_assert(LDBL_MANT_DIG >= 113);
#endif

/// Value by the definition: sign, exponent, fraction.
double by_definition(unsigned bits, int fraction_bits, int bias) {
  const int exponent_bits = 15 - fraction_bits;
  const unsigned exponent = bits >> fraction_bits & ((1u << exponent_bits) - 1),
                 fraction = bits & ((1u << fraction_bits) - 1);
  const double sign = bits & 0x8000u ? -1 : 1;
  if (exponent == (1u << exponent_bits) - 1) return fraction != 0 ? std::nan("") : sign * INFINITY;
  const double mantissa = std::ldexp(fraction, -fraction_bits) + (exponent != 0 ? 1 : 0);
  return sign * std::ldexp(mantissa, (exponent != 0 ? static_cast<int>(exponent) : 1) - bias);
}

template <class Format, int kFraction, int kBias>
class Oracle {
 public:
  Oracle() {
    for (unsigned b = 0; b < 0x8000u; ++b) {
      const double v = by_definition(b, kFraction, kBias);
      if (std::isfinite(v)) magnitudes_.push_back(v);
    }
    // What would be the next number if there were no infinity: from half way to it on, infinity.
    const double top = magnitudes_.back();
    limit_ = top + (top - magnitudes_[magnitudes_.size() - 2]);
  }

  unsigned short round(double x, Rounding mode) const {
    const unsigned sign = std::signbit(x) ? 0x8000u : 0;
    if (std::isnan(x)) return 0x7fff;
    const double m = std::fabs(x);
    const unsigned infinity = static_cast<unsigned>(magnitudes_.size());
    const bool away = (mode == Rounding::up && sign == 0) || (mode == Rounding::down && sign != 0);
    auto at = std::upper_bound(magnitudes_.begin(), magnitudes_.end(), m);  // the first above
    const unsigned below = static_cast<unsigned>(at - magnitudes_.begin()) - 1;
    if (std::isinf(m)) return static_cast<unsigned short>(sign | infinity);
    const double low = magnitudes_[below], high = at == magnitudes_.end() ? limit_ : *at;
    unsigned out = below;
    if (m != low) {
      if (mode == Rounding::nearest) {
        out = m - low > high - m || (m - low == high - m && below % 2 == 1) ? below + 1 : below;
      } else {
        out = away ? below + 1 : below;
      }
    }
    return static_cast<unsigned short>(sign | out);
  }

 private:
  std::vector<double> magnitudes_;
  double limit_;
};

float float_of(unsigned bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

template <class Format, int kFraction, int kBias>
void check_all_values() {
  for (unsigned b = 0; b < 0x10000u; ++b) {
    const double want = by_definition(b, kFraction, kBias);
    const float got = Format::to(static_cast<unsigned short>(b));
    if (std::isnan(want)) {
      ASSERT_TRUE(std::isnan(got)) << b;
      ASSERT_EQ(Format::from(got), 0x7fff) << b;
    } else {
      ASSERT_EQ(static_cast<double>(got), want) << b;
      ASSERT_EQ(std::signbit(got), std::signbit(want)) << b;
      ASSERT_EQ(Format::from(got), b) << "back again";
    }
  }
}

template <class Format, int kFraction, int kBias>
void check_rounding() {
  const Oracle<Format, kFraction, kBias> oracle;
  std::vector<float> samples{0.0f,     -0.0f,    INFINITY,      -INFINITY,
                             1e-45f,   -1e-45f,  3.4028235e38f, -3.4028235e38f,
                             65504.0f, 65519.0f, 65520.0f,      65536.0f};
  // Around every number and every middle between two: the places where rounding changes.
  for (unsigned b = 0; b + 1 < 0x8000u; ++b) {
    const double here = by_definition(b, kFraction, kBias),
                 next = by_definition(b + 1, kFraction, kBias);
    if (!std::isfinite(here) || !std::isfinite(next)) continue;
    for (const double v : {here, (here + next) / 2}) {
      const float f = static_cast<float>(v);
      for (const float s : {f, std::nextafterf(f, INFINITY), std::nextafterf(f, -INFINITY)}) {
        samples.push_back(s);
        samples.push_back(-s);
      }
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 200000; ++i) samples.push_back(float_of(static_cast<unsigned>(random())));
  for (const float x : samples) {
    ASSERT_EQ(Format::from(x), oracle.round(x, Rounding::nearest)) << x;
    if (std::isnan(x)) continue;
    for (const Rounding mode : {Rounding::nearest, Rounding::zero, Rounding::up, Rounding::down}) {
      if (std::isinf(x)) continue;
      ASSERT_EQ(Format::from(x, mode), oracle.round(x, mode))
          << x << " mode " << static_cast<int>(mode);
    }
  }
}

template <class Format, int kFraction, int kBias>
void check_from_double() {
  const Oracle<Format, kFraction, kBias> oracle;
  std::mt19937_64 random(2);
  for (int i = 0; i < 300000; ++i) {
    // Near a middle, by less than a float can tell: rounding twice goes wrong here.
    const unsigned b = static_cast<unsigned>(random() % 0x7000u);
    const double here = by_definition(b, kFraction, kBias),
                 next = by_definition(b + 1, kFraction, kBias);
    if (!std::isfinite(next)) continue;
    const double x = (here + next) / 2 * (1 + (static_cast<int>(random() % 5) - 2) * 1e-14);
    ASSERT_EQ(Format::from(round_to_odd(x)), oracle.round(x, Rounding::nearest)) << x;
  }
}

/// Sums, products and fused products of 16-bit numbers: the exact result, rounded once. The exact
/// result of a fused product is had in a Quad.
template <class Format, int kFraction, int kBias>
void check_arithmetic() {
  const Oracle<Format, kFraction, kBias> oracle;
  std::mt19937 random(3);
  for (int i = 0; i < 400000; ++i) {
    const float a = Format::to(static_cast<unsigned short>(random())),
                b = Format::to(static_cast<unsigned short>(random()));
    float c = Format::to(static_cast<unsigned short>(random()));
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) continue;
    if (i % 2 == 0 && std::isfinite(a * b)) {  // of nearly the same size, where cancellation bites
      c = Format::to(static_cast<unsigned short>(Format::from(-a * b) + random() % 3));
      if (!std::isfinite(c)) continue;
    }
    ASSERT_EQ(Format::from(a + b), oracle.round(static_cast<double>(a) + b, Rounding::nearest))
        << a << " + " << b;
    ASSERT_EQ(Format::from(a * b), oracle.round(static_cast<double>(a) * b, Rounding::nearest))
        << a << " * " << b;
    // What a Quad cannot hold beside the product is no test of the code.
    if (c != 0 && std::fabs(static_cast<double>(c)) < std::fabs(static_cast<double>(a) * b) * 1e-20)
      continue;
    if (std::fabs(static_cast<double>(a) * b) < std::fabs(static_cast<double>(c)) * 1e-20) continue;
    const Quad exact = static_cast<Quad>(a) * b + c;
    // The exact value as a double that is odd where it is inexact, made another way than the code
    // does.
    double nearest = static_cast<double>(exact);
    if (static_cast<Quad>(nearest) != exact) {
      const double other = static_cast<Quad>(nearest) < exact ? std::nextafter(nearest, INFINITY)
                                                              : std::nextafter(nearest, -INFINITY);
      std::uint64_t bits;
      std::memcpy(&bits, &nearest, 8);
      if (bits % 2 == 0) nearest = other;
    }
    ASSERT_EQ(fused<Format>(a, b, c), oracle.round(nearest, Rounding::nearest))
        << a << " * " << b << " + " << c;
  }
}

TEST(Half, every_value_is_its_definition_and_comes_back) { check_all_values<HalfFormat, 10, 15>(); }
TEST(Half, rounds_in_all_four_directions) { check_rounding<HalfFormat, 10, 15>(); }
TEST(Half, rounds_a_double_once) { check_from_double<HalfFormat, 10, 15>(); }
TEST(Half, arithmetic_rounds_the_exact_result_once) { check_arithmetic<HalfFormat, 10, 15>(); }
TEST(Bfloat16, every_value_is_its_definition_and_comes_back) {
  check_all_values<BfloatFormat, 7, 127>();
}
TEST(Bfloat16, rounds_in_all_four_directions) { check_rounding<BfloatFormat, 7, 127>(); }
TEST(Bfloat16, rounds_a_double_once) { check_from_double<BfloatFormat, 7, 127>(); }
TEST(Bfloat16, arithmetic_rounds_the_exact_result_once) {
  check_arithmetic<BfloatFormat, 7, 127>();
}

}  // namespace
}  // namespace opgrade_emulation
