// Each hint of conv_mistake.cpp by a planted mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "grader/task/conv/conv_mistake.hpp"
#include "grader/task/interface/rounding_advice.hpp"
#include "reference/conv_direct.hpp"

namespace opgrade {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr ConvShape kShape{.B = 4, .M = 3, .C = 2, .H = 20, .W = 20, .K = 5};

/// Random inputs and the right answer by the definition; a test then spoils y.
class Mistake : public testing::Test {
 protected:
  void make(const ConvShape& s) {
    shape = s;
    std::mt19937 random(3);
    std::uniform_real_distribution<float> value(-1, 1);
    x.resize(static_cast<std::size_t>(s.x_size()));
    k.resize(static_cast<std::size_t>(s.k_size()));
    for (auto* tensor : {&x, &k})
      for (float& v : *tensor) v = value(random);
    y = computed([&](int m, int c, int p, int q) { return K(m, c, p, q); });
  }
  void SetUp() override { make(kShape); }

  float K(int m, int c, int p, int q) const {
    return k[static_cast<std::size_t>(((m * shape.C + c) * shape.K + p) * shape.K + q)];
  }
  float& Y(int b, int m, int h, int w) {
    return y[static_cast<std::size_t>(((b * shape.M + m) * shape.H_out() + h) * shape.W_out() + w)];
  }
  std::vector<float> computed(const std::function<float(int, int, int, int)>& weight) const {
    std::vector<float> result(static_cast<std::size_t>(shape.y_size()));
    std::size_t at = 0;
    for (int b = 0; b < shape.B; ++b)
      for (int m = 0; m < shape.M; ++m)
        for (int h = 0; h < shape.H_out(); ++h)
          for (int w = 0; w < shape.W_out(); ++w) {
            double sum = 0;
            for (int c = 0; c < shape.C; ++c)
              for (int p = 0; p < shape.K; ++p)
                for (int q = 0; q < shape.K; ++q)
                  sum += static_cast<double>(weight(m, c, p, q)) *
                         x[static_cast<std::size_t>(
                             ((b * shape.C + c) * shape.H + h + p) * shape.W + w + q)];
            result[at++] = static_cast<float>(sum);
          }
    return result;
  }
  /// Replaces y[b][m][h][w] for every place by `value(b, m, h, w)`.
  void spoil(const std::function<float(int, int, int, int)>& value) {
    std::vector<float> spoilt;
    for (int b = 0; b < shape.B; ++b)
      for (int m = 0; m < shape.M; ++m)
        for (int h = 0; h < shape.H_out(); ++h)
          for (int w = 0; w < shape.W_out(); ++w) spoilt.push_back(value(b, m, h, w));
    y = spoilt;
  }
  std::string hint() const { return found().text; }
  Hint found() const {
    const ConvOutput output{shape, x, y, k};
    const CheckReport report = check_conv(FastConv<double>(shape, k.data()), output, 1e-6, {}, 1);
    EXPECT_FALSE(report.passed()) << "the planted mistake changes nothing";
    return explain_mistake(output, k, report);
  }

  ConvShape shape;
  std::vector<float> x, k, y;
};

const float kPoison = std::bit_cast<float>(0xFFFFFFFFU);

TEST_F(Mistake, NoneGivesNoHint) {
  const ConvOutput output{shape, x, y, k};
  const CheckReport report = check_conv(FastConv<double>(shape, k.data()), output, 1e-6, {}, 1);
  ASSERT_TRUE(report.passed());
  EXPECT_EQ(explain_mistake(output, k, report).text, "");
}

TEST_F(Mistake, NothingWritten) {
  std::ranges::fill(y, kPoison);
  EXPECT_THAT(hint(), StartsWith("no element was written"));
  EXPECT_THAT(hint(), HasSubstr("copied back")) << "or the epilog lacks its copy";
}

TEST_F(Mistake, AllZero) {
  std::ranges::fill(y, 0.0F);
  EXPECT_THAT(hint(), StartsWith("every element is zero: "));
}

TEST_F(Mistake, AWrongSign) {
  for (float& v : y) v = -v;
  EXPECT_EQ(hint(), "every element has the wrong sign: the products are subtracted");
}

// "No element was written" must not be said where most of them are right.
TEST_F(Mistake, OneImageIsNotAllOfThem) {
  spoil([&](int b, int m, int h, int w) { return b == 0 ? kPoison : Y(b, m, h, w); });
  EXPECT_EQ(hint(),
            "no element of image 0 was written, or all were added to y's old content with +=");
  spoil([&](int b, int m, int h, int w) { return b == 0 ? 0 : Y(b, m, h, w); });
  EXPECT_THAT(hint(), StartsWith("every element of image 0 is zero: "));
  spoil([&](int b, int m, int h, int w) { return b == 0 ? 7 : Y(b, m, h, w); });
  EXPECT_EQ(hint(), "every element of image 0 has the same value");
}

TEST_F(Mistake, SomeNotWritten) {
  for (int h = 0; h < shape.H_out(); h += 2) Y(0, 1, h, 3) = kPoison;
  EXPECT_EQ(hint(), "some elements were never written");
}

TEST_F(Mistake, TheLastRowsColumnsOrMapsAreNotWritten) {
  const int H_out = shape.H_out(), W_out = shape.W_out(), M = shape.M;
  spoil([&](int b, int m, int h, int w) { return h >= H_out - 2 ? kPoison : Y(b, m, h, w); });
  EXPECT_THAT(hint(), StartsWith("some elements were never written: all with h >= " +
                                 std::to_string(H_out - 2) + ", where H_out is " +
                                 std::to_string(H_out) + ";"));
  make(shape);
  spoil([&](int b, int m, int h, int w) { return w == W_out - 1 ? kPoison : Y(b, m, h, w); });
  EXPECT_THAT(hint(), testing::HasSubstr(": all with w >= " + std::to_string(W_out - 1)));
  make(shape);
  spoil([&](int b, int m, int h, int w) { return m == M - 1 ? kPoison : Y(b, m, h, w); });
  EXPECT_THAT(hint(), testing::HasSubstr(": all with m >= " + std::to_string(M - 1)));
  make(shape);  // a hole before the last rows is no bound
  spoil([&](int b, int m, int h, int w) {
    return h >= H_out - 2 || (h == 0 && w == 0) ? kPoison : Y(b, m, h, w);
  });
  EXPECT_EQ(hint(), "some elements were never written");
}

TEST_F(Mistake, NaN) {
  for (float& v : y) v = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(hint(), StartsWith("some elements are NaN"));
}

TEST_F(Mistake, ReducedPrecision) {
  for (float& v : x) v = std::bit_cast<float>(std::bit_cast<std::uint32_t>(v) & ~0x1FFFU);
  const auto cut = computed([&](int m, int c, int p, int q) { return K(m, c, p, q); });
  make(kShape);  // y from x as TF32 keeps it, held against all of x
  y = cut;
  EXPECT_THAT(hint(), HasSubstr("reduced precision"));
  EXPECT_THAT(hint(), HasSubstr("Winograd")) << "float can round as much";
  EXPECT_THAT(hint(), HasSubstr("multiply and add in float")) << "the next step";
  EXPECT_THAT(hint(), HasSubstr("The tolerance here, 1e-06, is that of float. If your course "
                                "allows half precision"));
  EXPECT_THAT(rounding_advice(2e-3), HasSubstr("allows half precision for the products: add"));
}

TEST_F(Mistake, AGuessHoldsForTheLastImageToo) {
  y = computed([&](int m, int c, int p, int q) { return K(m, c, q, p); });
  EXPECT_EQ(found().kind, Hint::Kind::guess) << hint();
  Y(shape.B - 1, 0, 0, 0) += 100;
  EXPECT_EQ(hint(), "");
}

TEST_F(Mistake, AFewSmallErrorsAreNoReducedPrecision) {
  for (int h = 0; h < shape.H_out(); ++h) Y(2, 1, h, 3) += 1e-3F;
  EXPECT_THAT(hint(), testing::Not(HasSubstr("reduced precision")));
}

TEST_F(Mistake, AConstantOffsetIsNoRounding) {
  const auto right = y;
  const float largest =
      std::abs(*std::ranges::max_element(right, {}, [](float v) { return std::abs(v); }));
  for (const float part : {1e-3F, -1e-3F, 0.5F}) {
    std::ranges::transform(right, y.begin(), [&](float v) { return v + part * largest; });
    EXPECT_THAT(hint(), StartsWith(part > 0 ? "every element is too large by "
                                            : "every element is too small by "));
  }
  const auto other = [&](auto by) {
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = right[i] + by(i) * largest;
    return hint();
  };
  EXPECT_THAT(other([](std::size_t i) { return i % 2 == 0 ? 1e-3F : -1e-3F; }),
              HasSubstr("reduced precision"));
  EXPECT_THAT(other([](std::size_t i) { return static_cast<float>(i % 7) * 1e-4F; }),
              HasSubstr("reduced precision"));
  EXPECT_THAT(other([&](std::size_t i) { return i < y.size() / 8 ? 0.5F : 0; }),
              testing::Not(HasSubstr("every element")));
}

TEST_F(Mistake, Constant) {
  std::ranges::fill(y, 1.5F);
  EXPECT_EQ(hint(), "every element has the same value");
}

TEST_F(Mistake, FlippedMask) {
  y = computed(
      [&](int m, int c, int p, int q) { return K(m, c, shape.K - 1 - p, shape.K - 1 - q); });
  EXPECT_THAT(hint(), StartsWith("the mask is flipped"));
}

TEST_F(Mistake, MaskLosesItsLastRowOrColumn) {
  y = computed([&](int m, int c, int p, int q) { return p < shape.K - 1 ? K(m, c, p, q) : 0; });
  EXPECT_THAT(hint(), StartsWith("the last row of the mask is left out"));
  y = computed([&](int m, int c, int p, int q) { return q < shape.K - 1 ? K(m, c, p, q) : 0; });
  EXPECT_THAT(hint(), StartsWith("the last column of the mask is left out"));
}

TEST_F(Mistake, TransposedMask) {
  y = computed([&](int m, int c, int p, int q) { return K(m, c, q, p); });
  EXPECT_THAT(hint(), StartsWith("the mask is transposed"));
}

TEST_F(Mistake, MaskLoopEndsEarly) {
  y = computed([&](int m, int c, int p, int q) {
    return p == shape.K - 1 || q == shape.K - 1 ? 0 : K(m, c, p, q);
  });
  EXPECT_THAT(hint(), HasSubstr("a loop ends at K-1"));
}

TEST_F(Mistake, OnlyTheFirstChannel) {
  y = computed([&](int m, int c, int p, int q) { return c == 0 ? K(m, c, p, q) : 0; });
  EXPECT_THAT(hint(), HasSubstr("the sum over c is missing"));
}

TEST_F(Mistake, OnlyTheLastChannel) {
  y = computed([&](int m, int c, int p, int q) { return c == shape.C - 1 ? K(m, c, p, q) : 0; });
  EXPECT_THAT(hint(), HasSubstr("overwritten and not summed"));
}

TEST_F(Mistake, MapIndexMissing) {
  y = computed([&](int, int c, int p, int q) { return K(0, c, p, q); });
  EXPECT_THAT(hint(), HasSubstr("the index m is missing"));
}

TEST_F(Mistake, TransposedImage) {
  const auto right = y;
  spoil([&](int b, int m, int h, int w) {
    return right[static_cast<std::size_t>(((b * shape.M + m) * shape.H_out() + w) * shape.W_out() +
                                          h)];
  });
  EXPECT_THAT(hint(), HasSubstr("h and w are swapped"));
}

TEST_F(Mistake, Shifted) {
  const auto right = y;
  for (const auto& [dh, dw, text] : {std::tuple{1, 0, "one row too high"},
                                     {-1, 0, "one row too low"},
                                     {0, 1, "one column too far left"},
                                     {0, -1, "one column too far right"}}) {
    spoil([&, dh = dh, dw = dw](int b, int m, int h, int w) {
      const int from_h = h + dh, from_w = w + dw;
      if (from_h < 0 || from_h >= shape.H_out() || from_w < 0 || from_w >= shape.W_out())
        return 7.0F;
      return right[static_cast<std::size_t>(
          ((b * shape.M + m) * shape.H_out() + from_h) * shape.W_out() + from_w)];
    });
    EXPECT_THAT(hint(), HasSubstr(text));
  }
}

TEST_F(Mistake, LastRowOrColumn) {
  for (int b = 0; b < shape.B; ++b)
    for (int m = 0; m < shape.M; ++m)
      for (int w = 0; w < shape.W_out(); ++w) Y(b, m, shape.H_out() - 1, w) = 9;
  EXPECT_EQ(hint(), "only the last row or column is wrong: a bound is off by one");
}

TEST_F(Mistake, RestOfTheTiles) {
  make({.B = 2, .M = 2, .C = 1, .H = 24, .W = 22, .K = 3});  // 22 x 20
  for (int b = 0; b < shape.B; ++b)
    for (int m = 0; m < shape.M; ++m)
      for (int h = 0; h < shape.H_out(); ++h)
        for (int w = 0; w < shape.W_out(); ++w)
          if (h >= 16 || w >= 16) Y(b, m, h, w) = 0;
  // Tiles of 8 would end at 16 as well.
  EXPECT_THAT(hint(), testing::AnyOf(HasSubstr("16x16"), HasSubstr("8x8")));
  EXPECT_THAT(hint(), HasSubstr("not a multiple of the tile"));
}

TEST_F(Mistake, OnlyTheFirstImagesAreRight) {
  for (int b = 2; b < shape.B; ++b)
    for (std::int64_t i = 0; i < shape.y_image(); ++i)
      y[static_cast<std::size_t>(b * shape.y_image() + i)] = kPoison;
  EXPECT_EQ(hint(),
            "images 0 to 1 are right, and no element of images 2 to 3 was written: the grid, or "
            "the loop over b, covers 2 of 4 images");
}

TEST_F(Mistake, AnImageInTheMiddle) {
  Y(2, 0, 5, 5) += 10;
  EXPECT_EQ(hint(), "image 2 is the first that is wrong, the last one is right");
}

TEST_F(Mistake, OnlyTheFirstImageIsWrong) {
  Y(0, 0, 5, 5) += 10;
  EXPECT_EQ(hint(), "the first image is wrong and the last is right");
}

TEST_F(Mistake, NoiseHasNoExplanation) {
  std::mt19937 random(9);
  std::normal_distribution<float> value;
  for (float& v : y) v = value(random);
  EXPECT_EQ(hint(), "");
}

TEST_F(Mistake, SingleImagesMapsAndChannelsAreNoTrouble) {
  for (const ConvShape& s : {ConvShape{.H = 3, .W = 3, .K = 3}, ConvShape{.H = 5, .W = 4, .K = 1},
                             ConvShape{.M = 2, .C = 3, .H = 7, .W = 9, .K = 7}}) {
    make(s);
    for (float& v : y) v += 1;
    hint();  // whatever it says: it must not crash
    make(s);
    std::ranges::fill(y, kPoison);
    EXPECT_THAT(hint(), StartsWith("no element was written"));
  }
}

}  // namespace
}  // namespace opgrade
