#include "reference/conv_fast.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "reference/conv_direct.hpp"
#include "tests/unit/reference/conv_cases.hpp"

namespace opgrade {
namespace {

constexpr int kRandomShapes = 60;

std::vector<ConvShape> all_shapes() {
  auto shapes = test::table_shapes();
  const auto random = test::random_shapes(kRandomShapes);
  shapes.insert(shapes.end(), random.begin(), random.end());
  return shapes;
}

std::vector<double> direct(const ConvShape& shape, const std::vector<float>& x,
                           const std::vector<float>& k) {
  std::vector<double> y(static_cast<std::size_t>(shape.y_size()));
  conv_direct(shape, x.data(), k.data(), y.data());
  return y;
}

template <class Acc>
constexpr Acc kUntouched = std::is_same_v<Acc, float> ? Acc(-12345.5F) : Acc(-12345.5);

/// Image by image at one instruction set, with guards around x and y: x sits between NaNs, which
/// would show in the result if they were used, and what surrounds y must stay as it was.
template <class Acc>
std::vector<Acc> fast(const ConvShape& shape, const std::vector<float>& x,
                      const std::vector<float>& k, Isa isa) {
  constexpr std::size_t kGuard = 17;  // odd, so that nothing is aligned
  const FastConv<Acc> conv(shape, k.data(), isa);
  EXPECT_EQ(conv.isa(), isa);
  std::vector<Acc> result;
  for (int b = 0; b < shape.B; ++b) {
    const auto image = x.begin() + b * shape.x_image();
    std::vector<float> guarded(kGuard, std::numeric_limits<float>::quiet_NaN());
    guarded.insert(guarded.end(), image, image + shape.x_image());
    guarded.insert(guarded.end(), kGuard, std::numeric_limits<float>::quiet_NaN());
    const auto size = static_cast<std::size_t>(shape.y_image());
    std::vector<Acc> y(size + 2 * kGuard, kUntouched<Acc>);
    conv.image(guarded.data() + kGuard, y.data() + kGuard);
    const auto untouched = [](Acc value) { return value == kUntouched<Acc>; };
    EXPECT_TRUE(std::all_of(y.begin(), y.begin() + kGuard, untouched)) << "wrote before y";
    EXPECT_TRUE(std::all_of(y.end() - kGuard, y.end(), untouched)) << "wrote after y";
    result.insert(result.end(), y.begin() + kGuard, y.end() - kGuard);
  }
  return result;
}

/// n*u / (1 - n*u)
double gamma(double n, double u) { return n * u / (1 - n * u); }

std::vector<float> magnitudes(std::vector<float> values) {
  for (float& value : values) value = std::abs(value);
  return values;
}

class ConvFast : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    const auto& isas = available_isas();
    if (std::find(isas.begin(), isas.end(), GetParam()) == isas.end())
      GTEST_SKIP() << "this processor has no " << isa_name(GetParam());
  }
};

TEST_P(ConvFast, DoubleEqualsTheTruthBitForBit) {
  for (const ConvShape& shape : all_shapes()) {
    const auto x = test::random_floats(shape.x_size(), 2), k = test::random_floats(shape.k_size(), 3);
    ASSERT_EQ(fast<double>(shape, x, k, GetParam()), direct(shape, x, k))
        << testing::PrintToString(shape);
  }
}

TEST_P(ConvFast, FloatStaysWithinItsBound) {
  for (const ConvShape& shape : all_shapes()) {
    const auto x = test::random_floats(shape.x_size(), 4), k = test::random_floats(shape.k_size(), 5);
    const auto y = fast<float>(shape, x, k, GetParam());
    const auto truth = direct(shape, x, k);
    const auto scale = direct(shape, magnitudes(x), magnitudes(k));
    const double n = static_cast<double>(shape.C) * shape.K * shape.K;
    // The truth's own error is 2^29 times smaller; twice its bound covers it and that of scale.
    const double bound = gamma(n, 0x1p-24) + 2 * gamma(n, 0x1p-53);
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_LE(std::abs(y[i] - truth[i]), bound * scale[i])
          << testing::PrintToString(shape) << " at " << i;
  }
}

TEST_P(ConvFast, WholeNumbersAreExact) {
  for (const ConvShape& shape : all_shapes()) {
    const auto x = test::random_whole(shape.x_size(), 6), k = test::random_whole(shape.k_size(), 7);
    const auto truth = direct(shape, x, k);
    const auto y = fast<float>(shape, x, k, GetParam());
    ASSERT_EQ(std::vector<double>(y.begin(), y.end()), truth) << testing::PrintToString(shape);
  }
}

TEST_P(ConvFast, PartsWriteTheirOwnOutputsOnly) {
  for (const ConvShape& shape :
       {ConvShape{1, 20, 2, 12, 21, 3, 1}, ConvShape{1, 9, 2, 11, 7, 3, 1},
        ConvShape{1, 17, 1, 23, 45, 3, 2}, ConvShape{1, 16, 1, 9, 22, 7, 1}}) {
    const auto x = test::random_whole(shape.x_size(), 8), k = test::random_whole(shape.k_size(), 9);
    const auto truth = direct(shape, x, k);
    const FastConv<float> conv(shape, k.data(), GetParam());
    const int H_out = shape.H_out(), W_out = shape.W_out();
    std::vector<float> all(truth.size());
    for (int g = 0; g < conv.map_groups(); ++g)
      for (int h = 0; h < H_out; h += 2) {
        const int end = std::min(h + 2, H_out);
        std::vector<float> y(truth.size(), kUntouched<float>);
        conv.part(x.data(), y.data(), h, end, g, g + 1);
        for (std::size_t i = 0; i < y.size(); ++i) {
          const int row = static_cast<int>(i) / W_out % H_out;
          if (row < h || row >= end) {
            ASSERT_EQ(y[i], kUntouched<float>) << "row " << row;
          }
          if (y[i] != kUntouched<float>) {
            ASSERT_EQ(y[i], truth[i]) << testing::PrintToString(shape) << " at " << i;
            all[i] = y[i];
          }
        }
      }
    ASSERT_EQ(std::vector<double>(all.begin(), all.end()), truth) << testing::PrintToString(shape);
  }
}

TEST_P(ConvFast, NotANumberReachesTheOutputsThatUseItAlone) {
  const ConvShape shape{1, 3, 2, 9, 23, 3, 1};
  auto x = test::random_floats(shape.x_size(), 10);
  const auto k = test::random_floats(shape.k_size(), 11);
  x[static_cast<std::size_t>(shape.H * shape.W + 4 * shape.W + 17)] =
      std::numeric_limits<float>::quiet_NaN();  // c=1, row 4, column 17
  const auto y = fast<float>(shape, x, k, GetParam());
  std::size_t i = 0;
  for (int m = 0; m < shape.M; ++m)
    for (int h = 0; h < shape.H_out(); ++h)
      for (int w = 0; w < shape.W_out(); ++w, ++i)
        ASSERT_EQ(std::isnan(y[i]), 2 <= h && h <= 4 && 15 <= w && w <= 17)
            << "m=" << m << " h=" << h << " w=" << w;
}

INSTANTIATE_TEST_SUITE_P(, ConvFast, testing::Values(Isa::baseline, Isa::avx2, Isa::avx512),
                         [](const auto& isa) { return std::string(isa_name(isa.param)); });

TEST(ConvFastBatch, EveryThreadCountGivesTheTruth) {
  for (const ConvShape& shape :
       {ConvShape{1, 4, 1, 30, 33, 5, 1}, ConvShape{5, 3, 2, 9, 12, 3, 1},
        ConvShape{2, 40, 3, 5, 5, 5, 1}, ConvShape{33, 2, 1, 8, 20, 3, 2}}) {
    const auto x = test::random_whole(shape.x_size(), 12), k = test::random_whole(shape.k_size(), 13);
    const auto truth = direct(shape, x, k);
    for (int threads : {0, 1, 2, 3, 8}) {
      std::vector<float> y(truth.size(), kUntouched<float>);
      conv_fast(shape, x.data(), k.data(), y.data(), threads);
      ASSERT_EQ(std::vector<double>(y.begin(), y.end()), truth)
          << testing::PrintToString(shape) << " with " << threads << " threads";
      std::vector<double> twice(truth.size(), kUntouched<double>);
      conv_fast(shape, x.data(), k.data(), twice.data(), threads);
      ASSERT_EQ(twice, truth) << testing::PrintToString(shape) << " with " << threads << " threads";
    }
  }
}

TEST(ConvFastBatch, OneObjectServesManyThreads) {
  const ConvShape shape{8, 5, 2, 15, 21, 4, 1};
  const auto x = test::random_whole(shape.x_size(), 14), k = test::random_whole(shape.k_size(), 15);
  const FastConv<double> conv(shape, k.data());
  std::vector<double> y(static_cast<std::size_t>(shape.y_size()));
  {
    std::vector<std::jthread> threads;
    for (int b = 0; b < shape.B; ++b)
      threads.emplace_back([&, b] {
        conv.image(x.data() + b * shape.x_image(), y.data() + b * shape.y_image());
      });
  }
  EXPECT_EQ(y, direct(shape, x, k));
}

TEST(ConvFastBatch, RefusesAnInvalidShape) {
  const float k[9] = {};
  EXPECT_THROW(FastConv<float>({1, 1, 1, 2, 2, 3, 1}, k), std::invalid_argument);
  EXPECT_THROW(FastConv<double>({1, 0, 1, 4, 4, 3, 1}, k), std::invalid_argument);
}

TEST(Isa, BaselineIsAlwaysThereAndTheLimitHolds) {
  EXPECT_EQ(available_isas().front(), Isa::baseline);
  EXPECT_EQ(best_isa(Isa::baseline), Isa::baseline);
  EXPECT_EQ(best_isa(), available_isas().back());
}

}  // namespace
}  // namespace opgrade
