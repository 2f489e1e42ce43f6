#include "grader/task/conv/network/tanh.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

namespace opgrade {
namespace {

std::vector<float> tanh_of(std::vector<float> values) {
  tanh_values(values.data(), values.data(), static_cast<std::int64_t>(values.size()));
  return values;
}

// Floats of either sign spread over all magnitudes, against the C library in double.
TEST(Tanh, WithinOneUnitInTheLastPlace) {
  std::vector<float> in;
  for (std::uint32_t bits = 0; bits < 0x7f800000; bits += 4999) {
    in.push_back(std::bit_cast<float>(bits));
    in.push_back(-in.back());
  }
  const std::vector<float> out = tanh_of(in);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto want = static_cast<float>(std::tanh(static_cast<double>(in[i])));
    const float low = std::nextafter(want, -2.0F), high = std::nextafter(want, 2.0F);
    ASSERT_TRUE(out[i] >= low && out[i] <= high) << in[i] << " gives " << out[i];
  }
}

TEST(Tanh, NeverDecreases) {
  std::vector<float> in;
  for (int i = -400000; i <= 400000; ++i) in.push_back(static_cast<float>(i) * 2.5e-5F);
  const std::vector<float> out = tanh_of(in);
  for (std::size_t i = 1; i < out.size(); ++i) ASSERT_LE(out[i - 1], out[i]) << in[i];
}

TEST(Tanh, SpecialValuesAndShortArrays) {
  const float inf = std::numeric_limits<float>::infinity();
  const auto out = tanh_of({0.0F, inf, -inf, std::numeric_limits<float>::quiet_NaN(), 1.0F});
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 1);
  EXPECT_EQ(out[2], -1);
  EXPECT_TRUE(std::isnan(out[3]));
  EXPECT_FLOAT_EQ(out[4], 0.761594156F);
  EXPECT_TRUE(tanh_of({}).empty());
}

}  // namespace
}  // namespace opgrade
