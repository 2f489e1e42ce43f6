#include "grader/task/conv/network/tanh.hpp"

#include <cstring>

#include "grader/base/core/vector_clones.hpp"

namespace opgrade {
namespace {

constexpr int kLanes = 4;
using Floats = float __attribute__((vector_size(kLanes * sizeof(float))));
using Doubles = double __attribute__((vector_size(kLanes * sizeof(double))));
using Integers = std::int64_t __attribute__((vector_size(kLanes * sizeof(std::int64_t))));

constexpr double kLog2E = 1.4426950408889634;
constexpr double kLn2 = 0.6931471805599453;
constexpr double kSaturated = 20;  // 1 - tanh(20) is 8.5e-18: 1 in float
constexpr double kTiny = 1e-3;     // below, x - x^3/3 is exact to x^5 * 2/15 < 2e-13 x

// Adding this number rounds a double below 2^51 to a whole number, which is then in the lowest
// bits.
constexpr double kRounder = 6755399441055744.0;  // 1.5 * 2^52

// tanh(x) = (e - 1) / (e + 1) with e = exp(2x) = 2^n * exp(r), |r| <= ln(2)/2. exp(r) is its Taylor
// series up to r^11/11!, whose rest is below 1e-14. Everything is in double: e - 1 loses digits for
// small x, but none that a float has unless x is tiny.
[[gnu::always_inline]] inline Floats tanh_lanes(Floats values) {
  const Doubles x = __builtin_convertvector(values, Doubles);
  Doubles y = x < -kSaturated ? Doubles{} - kSaturated : x;
  y = y > kSaturated ? Doubles{} + kSaturated : y;
  const Doubles shifted = 2 * kLog2E * y + kRounder;
  const Doubles n = shifted - kRounder;
  const Doubles r = 2 * y - n * kLn2;
  Doubles series = Doubles{} + 1;
  for (int i = 11; i >= 1; --i) series = 1 + series * r * (1.0 / i);
  // Shifts the whole number from the lowest bits of `shifted` into the exponent; the other bits are
  // shifted out.
  const Integers power =
      (reinterpret_cast<Integers>(shifted) << 52) + reinterpret_cast<Integers>(Doubles{} + 1);
  const Doubles e = series * reinterpret_cast<Doubles>(power);
  const Doubles large = (e - 1) / (e + 1);
  const Doubles small = x - x * x * x * (1.0 / 3);
  const auto tiny = (x < kTiny) & (x > -kTiny);
  const Doubles chosen = tiny ? small : large;
  return __builtin_convertvector(x == x ? chosen : x, Floats);
}

}  // namespace

OPGRADE_VECTOR_CLONES
void tanh_values(const float* in, float* out, std::int64_t count) {
  const auto some = [&](std::int64_t i, std::size_t bytes) __attribute__((always_inline)) {
    Floats values = {};
    std::memcpy(&values, in + i, bytes);
    values = tanh_lanes(values);
    std::memcpy(out + i, &values, bytes);
  };
  const std::int64_t whole = count / kLanes * kLanes;
  for (std::int64_t i = 0; i < whole; i += kLanes) some(i, sizeof(Floats));
  if (whole < count) some(whole, sizeof(float) * static_cast<std::size_t>(count - whole));
}

}  // namespace opgrade
