#include "grader/task/conv/conv_check.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "grader/base/core/poison.hpp"
#include "grader/task/conv/part_check.hpp"

namespace opgrade {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// A convolution with K = C = M = 1 and weight 1: y must equal x, and the bound is `tolerance`
/// times the image's largest |x|.
struct Identity {
  Identity(int B, std::vector<float> image)
      : shape{.B = B, .H = 1, .W = static_cast<int>(image.size())} {
    for (int b = 0; b < B; ++b) x.insert(x.end(), image.begin(), image.end());
    y = x;
  }
  CheckReport check(double tolerance, std::vector<int> images = {}, int threads = 1) const {
    const float one = 1;
    return check_conv(FastConv<double>(shape, &one), {shape, x, y}, tolerance, images, threads);
  }
  ConvShape shape;
  std::vector<float> x, y;
};

TEST(ConvCheck, TheMapTellsTheWrongRowsOfTheFirstWrongImage) {
  // Two maps of 1 and 2 times x, of which the second misses its first row and half of its last one.
  const ConvShape shape{.B = 2, .M = 2, .H = 3, .W = 4};
  const std::vector<float> weights{1, 2};
  std::vector<float> x, y;
  for (int i = 0; i < 24; ++i) x.push_back(static_cast<float>(i + 1));
  for (int b = 0; b < 2; ++b)
    for (int m = 0; m < 2; ++m)
      for (int i = 0; i < 12; ++i)
        y.push_back(weights[static_cast<std::size_t>(m)] * x[static_cast<std::size_t>(12 * b + i)]);
  for (const int i : {0, 1, 2, 3, 8, 9}) y[static_cast<std::size_t>(24 + 12 + i)] = 0;
  const auto report =
      check_conv(FastConv<double>(shape, weights.data()), {shape, x, y, weights}, 1e-6, {}, 1);
  ASSERT_TRUE(report.map);
  EXPECT_EQ(report.map->part, 1);
  EXPECT_EQ(report.map->planes, 2);
  EXPECT_EQ(report.map->shares, (std::vector<double>{0, 0, 0, 1, 0, 0.5}));
  EXPECT_FALSE(Identity(1, {1, 2}).check(1e-6).map) << "nothing is wrong";
}

TEST(RelativeBound, GrowsWithTheRootOfTheSum) {
  EXPECT_DOUBLE_EQ(relative_bound({.C = 4, .H = 7, .W = 7, .K = 7}, 1e-6), 14e-6);
  EXPECT_DOUBLE_EQ(relative_bound({.C = 1, .H = 1, .W = 1, .K = 1}, 0.5), 0.5);
}

TEST(RootMeanSquare, ByHand) {
  EXPECT_EQ(root_mean_square({}), 0);
  const float values[] = {3, -4, 0, 0};
  EXPECT_DOUBLE_EQ(root_mean_square(values), 2.5);
}

TEST(ErrorScale, IsTheLargestOutputUnlessSumsCancel) {
  const ConvShape shape{.C = 4, .H = 3, .W = 3, .K = 3};  // sqrt(C K K) = 6
  EXPECT_DOUBLE_EQ(error_scale(100, shape, 2, 3), 100);
  EXPECT_DOUBLE_EQ(error_scale(1, shape, 2, 3), 36);
  EXPECT_DOUBLE_EQ(error_scale(0, shape, 0, 3), 0);
  EXPECT_DOUBLE_EQ(error_scale(5, shape, kNaN, 3), 5) << "NaN among the inputs";
}

TEST(ConvCheck, OneOutputWhoseSumCancelsMayBeRounded) {
  // 1 - 1 + 1e-8: float32 rounds the last term away on the way.
  const ConvShape sum{.C = 3, .H = 1, .W = 1, .K = 1};
  const std::vector<float> x{1, 1, 1}, k{1, -1, 1e-8F};
  const std::vector<float> y{0};
  const FastConv<double> reference(sum, k.data());
  EXPECT_TRUE(check_conv(reference, {sum, x, y, k}, 1e-6, {}, 1).passed());
  const std::vector<float> wrong{1e-3F};
  EXPECT_FALSE(check_conv(reference, {sum, x, wrong, k}, 1e-6, {}, 1).passed());
}

TEST(ConvCheck, EqualPasses) {
  const Identity id(1, {1, -2, 0, 4});
  const CheckReport report = id.check(1e-6);
  EXPECT_TRUE(report.passed());
  EXPECT_EQ(report.checked, 4);
  EXPECT_EQ(report.mismatches, 0);
  EXPECT_EQ(report.first, -1);
  EXPECT_EQ(report.worst_error, 0);
  EXPECT_EQ(report.tolerance, 1e-6);
}

/// One value in an image whose largest is 4, with a tolerance of 1/8: allowed are 0.5 either way.
struct Row {
  const char* what;
  float got;  ///< where 1 is right
  bool passes;
  double worst;  ///< relative to the largest
};

TEST(ConvCheck, OneValueTable) {
  const float denormal = std::numeric_limits<float>::denorm_min();
  const Row table[] = {
      {"equal", 1, true, 0},
      {"within", 1.25F, true, 0.0625},
      {"at the bound above", 1.5F, true, 0.125},
      {"at the bound below", 0.5F, true, 0.125},
      {"just above", std::nextafter(1.5F, 2.0F), false, 0.125},
      {"just below", std::nextafter(0.5F, 0.0F), false, 0.125},
      {"other sign", -1, false, 0.5},
      {"zero", 0, false, 0.25},
      {"minus zero", -0.0F, false, 0.25},
      {"denormal", denormal, false, 0.25},
      {"NaN", std::numeric_limits<float>::quiet_NaN(), false, kNaN},
      {"NaN with a sign", -std::numeric_limits<float>::quiet_NaN(), false, kNaN},
      {"poison", std::bit_cast<float>(0xFFFFFFFFU), false, kNaN},
      {"infinity", kInfinity, false, kInfinity},
      {"minus infinity", -kInfinity, false, kInfinity},
      {"largest", std::numeric_limits<float>::max(), false,
       std::numeric_limits<float>::max() / 4.0},
  };
  for (const Row& row : table) {
    Identity id(1, {4, 1, 2});
    id.y[1] = row.got;
    const CheckReport report = id.check(0.125);
    EXPECT_EQ(report.passed(), row.passes) << row.what;
    EXPECT_EQ(report.mismatches, row.passes ? 0 : 1) << row.what;
    EXPECT_EQ(report.first, row.passes ? -1 : 1) << row.what;
    if (std::isnan(row.worst)) {
      EXPECT_TRUE(std::isnan(report.worst_error)) << row.what;
    } else {
      EXPECT_FLOAT_EQ(static_cast<float>(report.worst_error), static_cast<float>(row.worst))
          << row.what;
    }
    if (!row.passes) {
      EXPECT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(report.got)) & 0x7FC00000U,
                std::bit_cast<std::uint32_t>(row.got) & 0x7FC00000U)
          << row.what;
      EXPECT_EQ(report.want, 1) << row.what;
    }
  }
}

TEST(ConvCheck, AnImageOfZerosAllowsZerosOnly) {
  Identity id(1, {0, 0, 0});
  EXPECT_TRUE(id.check(0.1).passed());
  id.y[1] = -0.0F;
  EXPECT_TRUE(id.check(0.1).passed());
  id.y[2] = std::numeric_limits<float>::denorm_min();
  const CheckReport report = id.check(0.1);
  EXPECT_EQ(report.mismatches, 1);
  EXPECT_EQ(report.worst_error, kInfinity);
}

TEST(ConvCheck, EachImageHasItsOwnScale) {
  // An error that is small beside the first image's values is large beside the second's.
  ConvShape shape{.B = 2, .H = 1, .W = 2};
  const std::vector<float> x{1000, 1, 1, 0.5F};
  std::vector<float> y = x;
  const float one = 1;
  const FastConv<double> reference(shape, &one);
  y[1] += 0.5F;
  EXPECT_TRUE(check_conv(reference, {shape, x, y}, 1e-3, {}, 1).passed());
  y[1] = x[1];
  y[3] += 0.5F;
  const CheckReport report = check_conv(reference, {shape, x, y}, 1e-3, {}, 1);
  EXPECT_EQ(report.mismatches, 1);
  EXPECT_EQ(value_of(report.place, "b"), 1);
}

TEST(ConvCheck, NaNEverywhereIsCountedEverywhere) {
  Identity id(3, {1, 2, 3, 4});
  for (float& v : id.y) v = std::bit_cast<float>(0xFFFFFFFFU);
  const CheckReport report = id.check(0.5);
  EXPECT_EQ(report.mismatches, 12);
  EXPECT_EQ(report.first, 0);
  EXPECT_TRUE(std::isnan(report.worst_error));
}

TEST(ConvCheck, OneNaNAmongFiniteErrorsMakesTheWorstNaN) {
  Identity id(2, {1, 2});
  id.y[0] = 5;
  id.y[3] = std::numeric_limits<float>::quiet_NaN();
  const CheckReport report = id.check(0.1, {}, 2);
  EXPECT_EQ(report.mismatches, 2);
  EXPECT_EQ(report.first, 0);
  EXPECT_TRUE(std::isnan(report.worst_error));
}

/// A real shape with random values and what FastConv<float>'s terms give.
struct Real {
  explicit Real(ConvShape s) : shape(s), k(static_cast<std::size_t>(s.k_size())) {
    std::mt19937 random(5);
    std::uniform_real_distribution<float> value(-1, 1);
    x.resize(static_cast<std::size_t>(s.x_size()));
    for (auto* tensor : {&x, &k})
      for (float& v : *tensor) v = value(random);
    y.resize(static_cast<std::size_t>(s.y_size()));
    const FastConv<float> conv(s, k.data());
    for (int b = 0; b < s.B; ++b)
      conv.image(&x[static_cast<std::size_t>(b * s.x_image())],
                 &y[static_cast<std::size_t>(b * s.y_image())]);
  }
  CheckReport check(std::vector<int> images = {}, int threads = 2) const {
    return check_conv(FastConv<double>(shape, k.data()), {shape, x, y, k}, 1e-6, images, threads);
  }
  ConvShape shape;
  std::vector<float> x, k, y;
};

TEST(ConvCheck, RoundingOfFloat32PassesAndOfTF32DoesNot) {
  Real real({.B = 3, .M = 5, .C = 4, .H = 20, .W = 17, .K = 7});
  EXPECT_TRUE(real.check().passed());
  EXPECT_GT(real.check().worst_error, 0);
  // Inputs rounded to TF32's 10 bits of mantissa.
  const auto tf32 = [](float v) {
    return std::bit_cast<float>((std::bit_cast<std::uint32_t>(v) + 0x1000U) & 0xFFFFE000U);
  };
  Real rounded = real;
  for (auto* tensor : {&rounded.x, &rounded.k})
    for (float& v : *tensor) v = tf32(v);
  const FastConv<float> conv(real.shape, rounded.k.data());
  for (int b = 0; b < 3; ++b)
    conv.image(&rounded.x[static_cast<std::size_t>(b * real.shape.x_image())],
               &real.y[static_cast<std::size_t>(b * real.shape.y_image())]);
  EXPECT_GT(real.check().mismatches, 0);
}

TEST(ConvCheck, FirstPlaceInTensorCoordinates) {
  Real real({.B = 20, .M = 3, .C = 2, .H = 9, .W = 12, .K = 3});
  const int H_out = 7, W_out = 10;
  const auto at = [&](int b, int m, int h, int w) {
    return static_cast<std::size_t>(((b * 3 + m) * H_out + h) * W_out + w);
  };
  for (const auto& [b, m, h, w] : {std::tuple{0, 0, 0, 0},
                                   {0, 0, 0, 9},
                                   {0, 0, 6, 0},
                                   {0, 2, 3, 4},
                                   {13, 1, 5, 2},
                                   {19, 2, 6, 9}}) {
    Real broken = real;
    broken.y[at(b, m, h, w)] += 1;
    broken.y.back() += 1;  // a later one must not hide the first, whatever the threads do
    for (const int threads : {1, 2, 3}) {
      const CheckReport report = broken.check({}, threads);
      EXPECT_EQ(report.first, static_cast<std::int64_t>(at(b, m, h, w)));
      EXPECT_EQ(report.place, (Coordinates{{"b", b}, {"m", m}, {"h", h}, {"w", w}}));
      EXPECT_FLOAT_EQ(static_cast<float>(report.got - report.want), b == 19 && w == 9 ? 2 : 1);
    }
  }
}

TEST(ConvCheck, CountsEveryMismatchWithAnyNumberOfThreads) {
  Real real({.B = 33, .M = 2, .C = 1, .H = 6, .W = 5, .K = 2});
  std::int64_t planted = 0;
  for (std::size_t i = 0; i < real.y.size(); i += 7, ++planted) real.y[i] += 100;
  for (const int threads : {1, 2, 5}) {
    const CheckReport report = real.check({}, threads);
    EXPECT_EQ(report.mismatches, planted);
    EXPECT_EQ(report.checked, real.shape.y_size());
  }
}

TEST(ConvCheck, ChosenImagesOnly) {
  Real real({.B = 10, .M = 2, .C = 1, .H = 6, .W = 5, .K = 2});
  real.y[static_cast<std::size_t>(4 * real.shape.y_image())] += 1;
  EXPECT_TRUE(real.check({0, 9, 5}).passed());
  EXPECT_EQ(real.check({0, 9, 5}).checked, 3 * real.shape.y_image());
  const CheckReport report = real.check({9, 4});
  EXPECT_EQ(report.mismatches, 1);
  EXPECT_EQ(value_of(report.place, "b"), 4);
}

TEST(ConvCheck, NothingCheckedIsNotPassed) { EXPECT_FALSE(CheckReport{}.passed()); }

TEST(Poison, IsNaNAndKnown) {
  const float poison = std::bit_cast<float>(0xFFFFFFFFU);
  EXPECT_TRUE(is_poison(poison));
  EXPECT_TRUE(std::isnan(poison));
  EXPECT_FALSE(is_poison(std::numeric_limits<float>::quiet_NaN()));
  EXPECT_FALSE(is_poison(0));
}

}  // namespace
}  // namespace opgrade
