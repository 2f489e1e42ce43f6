#include "reference/conv_fast.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>

#include "reference/conv_direct.hpp"
#include "tests/unit/reference/conv_cases.hpp"
#include "tests/unit/reference/guarded_array.hpp"

namespace opgrade {
namespace {

constexpr int kRandomShapes = 60;

std::vector<ConvShape> all_shapes() {
  auto shapes = test::table_shapes();
  const auto random = test::random_shapes(kRandomShapes);
  shapes.insert(shapes.end(), random.begin(), random.end());
  return shapes;
}

std::vector<double> direct_loops(const ConvShape& shape, const std::vector<float>& x,
                                 const std::vector<float>& k) {
  std::vector<double> y(static_cast<std::size_t>(shape.y_size()));
  conv_direct(shape, x.data(), k.data(), y.data());
  return y;
}

template <class Acc>
constexpr Acc kUntouched = std::is_same_v<Acc, float> ? Acc(-12345.5F) : Acc(-12345.5);

/// Image by image at one instruction set. Right after x and y come pages that nobody may touch;
/// what lies before them must stay as it was, and does not get into the result.
template <class Acc>
std::vector<Acc> fast(const ConvShape& shape, const std::vector<float>& x,
                      const std::vector<float>& k, Isa isa,
                      EdgeMethod edge = EdgeMethod::automatic) {
  constexpr std::size_t kBefore = 16;
  const FastConv<Acc> conv(shape, k.data(), isa, edge);
  EXPECT_EQ(conv.isa(), isa);
  const auto x_size = static_cast<std::size_t>(shape.x_image());
  const auto y_size = static_cast<std::size_t>(shape.y_image());
  test::GuardedArray<float> image(x_size + kBefore);
  test::GuardedArray<Acc> y(y_size + kBefore);
  std::vector<Acc> result;
  for (int b = 0; b < shape.B; ++b) {
    std::fill_n(image.data(), kBefore, std::numeric_limits<float>::quiet_NaN());
    std::copy_n(x.begin() + b * shape.x_image(), x_size, image.data() + kBefore);
    std::fill_n(y.data(), y_size + kBefore, kUntouched<Acc>);
    conv.image(image.data() + kBefore, y.data() + kBefore);
    EXPECT_TRUE(std::all_of(y.data(), y.data() + kBefore, [](Acc value) {
      return value == kUntouched<Acc>;
    })) << "wrote before y";
    result.insert(result.end(), y.data() + kBefore, y.data() + kBefore + y_size);
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
    const auto x = test::random_floats(shape.x_size(), 2),
               k = test::random_floats(shape.k_size(), 3);
    ASSERT_EQ(fast<double>(shape, x, k, GetParam()), direct_loops(shape, x, k))
        << testing::PrintToString(shape);
  }
}

TEST_P(ConvFast, FloatStaysWithinItsBound) {
  for (const ConvShape& shape : all_shapes()) {
    const auto x = test::random_floats(shape.x_size(), 4),
               k = test::random_floats(shape.k_size(), 5);
    const auto y = fast<float>(shape, x, k, GetParam());
    const auto truth = direct_loops(shape, x, k);
    const auto scale = direct_loops(shape, magnitudes(x), magnitudes(k));
    const double n = static_cast<double>(shape.C) * shape.K * shape.K;
    // The truth's own error is 2^29 times smaller; twice its bound covers it and that of scale.
    const double bound = gamma(n, 0x1p-24) + 2 * gamma(n, 0x1p-53);
    for (std::size_t i = 0; i < y.size(); ++i)
      ASSERT_LE(std::abs(y[i] - truth[i]), bound * scale[i])
          << testing::PrintToString(shape) << " at " << i;
  }
}

/// Computes one part into untouched memory, checks it, and adds what it wrote to `all`.
void check_part(const FastConv<float>& conv, const std::vector<float>& x,
                const std::vector<double>& truth, const FastConv<float>::Part& part,
                std::vector<float>& all) {
  const ConvShape& shape = conv.shape();
  std::vector<float> y(truth.size(), kUntouched<float>);
  conv.part(x.data(), y.data(), part);
  for (std::size_t i = 0; i < y.size(); ++i) {
    const int row = static_cast<int>(i) / shape.W_out() % shape.H_out();
    if (row < part.h_begin || row >= part.h_end) {
      ASSERT_EQ(y[i], kUntouched<float>) << "row " << row << " is outside the part";
    }
    if (y[i] == kUntouched<float>) continue;
    ASSERT_EQ(y[i], truth[i]) << testing::PrintToString(shape) << " at " << i;
    all[i] = y[i];
  }
}

constexpr EdgeMethod kEdgeMethods[] = {EdgeMethod::overlap, EdgeMethod::gather, EdgeMethod::merge};

TEST_P(ConvFast, EveryEdgeMethodIsExact) {
  for (const ConvShape& shape : all_shapes()) {
    const auto x = test::random_whole(shape.x_size(), 6), k = test::random_whole(shape.k_size(), 7);
    const auto truth = direct_loops(shape, x, k);
    for (const EdgeMethod edge : kEdgeMethods) {
      const auto y = fast<float>(shape, x, k, GetParam(), edge);
      ASSERT_EQ(std::vector<double>(y.begin(), y.end()), truth)
          << testing::PrintToString(shape) << " edge method " << static_cast<int>(edge);
      ASSERT_EQ(fast<double>(shape, x, k, GetParam(), edge), truth)
          << testing::PrintToString(shape) << " edge method " << static_cast<int>(edge);
    }
  }
}

TEST_P(ConvFast, PartsWriteTheirOwnOutputsOnly) {
  for (const ConvShape& shape :
       {ConvShape{1, 20, 2, 12, 21, 3, 1}, ConvShape{1, 9, 2, 11, 7, 3, 1},
        ConvShape{1, 17, 1, 23, 45, 3, 2}, ConvShape{1, 16, 1, 9, 22, 7, 1}}) {
    const auto x = test::random_whole(shape.x_size(), 8), k = test::random_whole(shape.k_size(), 9);
    const auto truth = direct_loops(shape, x, k);
    for (const EdgeMethod edge : kEdgeMethods) {
      const FastConv<float> conv(shape, k.data(), GetParam(), edge);
      std::vector<float> all(truth.size());
      std::int64_t blocks = 0;
      for (int g = 0; g < conv.map_groups(); ++g)
        for (int h = 0; h < shape.H_out(); h += 2)
          check_part(conv, x, truth, {h, std::min(h + 2, shape.H_out()), g, g + 1}, all);
      EXPECT_EQ(std::vector<double>(all.begin(), all.end()), truth)
          << testing::PrintToString(shape) << " edge method " << static_cast<int>(edge);
      conv.part(x.data(), all.data(), {0, shape.H_out(), 0, conv.map_groups()}, [&] { ++blocks; });
      EXPECT_EQ(blocks, conv.blocks());
    }
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

TEST(ConvFastObject, OneObjectServesManyThreads) {
  const ConvShape shape{8, 5, 2, 15, 21, 4, 1};
  const auto x = test::random_whole(shape.x_size(), 14), k = test::random_whole(shape.k_size(), 15);
  const FastConv<double> conv(shape, k.data());
  std::vector<double> y(static_cast<std::size_t>(shape.y_size()));
  {
    std::vector<std::jthread> threads;
    for (int b = 0; b < shape.B; ++b)
      threads.emplace_back(
          [&, b] { conv.image(x.data() + b * shape.x_image(), y.data() + b * shape.y_image()); });
  }
  EXPECT_EQ(y, direct_loops(shape, x, k));
}

TEST(ConvFastObject, RefusesAnInvalidShape) {
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
