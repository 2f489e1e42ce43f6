#include "reference/conv_direct.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "tests/unit/reference/conv_cases.hpp"

namespace opgrade {
namespace {

std::vector<double> direct(const ConvShape& shape, const std::vector<float>& x,
                           const std::vector<float>& k) {
  std::vector<double> y(static_cast<std::size_t>(shape.y_size()), -1);
  conv_direct(shape, x.data(), k.data(), y.data());
  return y;
}

// Worked by hand: no flip of the kernel (that would give 1*4+2*3+4*2+5*1 = 23 first).
TEST(ConvDirect, TwoByTwoKernelOnThreeByThreeImage) {
  EXPECT_EQ(direct({1, 1, 1, 3, 3, 2, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 2, 3, 4}),
            (std::vector<double>{37, 47, 67, 77}));
}

TEST(ConvDirect, SumsOverChannelsAndKeepsMapsApart) {
  // Channels (1 2) and (10 20); map 0 weighs them 1 and 1, map 1 weighs them 2 and -1.
  EXPECT_EQ(direct({1, 2, 2, 1, 2, 1, 1}, {1, 2, 10, 20}, {1, 1, 2, -1}),
            (std::vector<double>{11, 22, -8, -16}));
}

TEST(ConvDirect, ImagesOfABatchAreSeparate) {
  EXPECT_EQ(direct({2, 1, 1, 1, 3, 1, 1}, {1, 2, 3, 4, 5, 6}, {10}),
            (std::vector<double>{10, 20, 30, 40, 50, 60}));
}

TEST(ConvDirect, StrideDropsWhatDoesNotFit) {
  // 1x6, K=1, S=2: columns 0, 2, 4; column 5 starts no window.
  EXPECT_EQ(direct({1, 1, 1, 1, 6, 1, 2}, {1, 2, 3, 4, 5, 6}, {1}), (std::vector<double>{1, 3, 5}));
  // 4x4, K=2, S=2: sums of the four quarters.
  EXPECT_EQ(direct({1, 1, 1, 4, 4, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16},
                   {1, 1, 1, 1}),
            (std::vector<double>{14, 22, 46, 54}));
}

TEST(ConvDirect, SumsInDouble) {
  // In float the 1 would be lost beside 2^24.
  EXPECT_EQ(direct({1, 1, 1, 1, 1, 1, 1}, {4097}, {4097}), (std::vector<double>{4097.0 * 4097.0}));
  EXPECT_EQ(direct({1, 1, 3, 1, 1, 1, 1}, {16777216, 1, -16777216}, {1, 1, 1}),
            (std::vector<double>{1}));
}

// An independent formulation: a kernel that is 1 at (c, p, q) alone copies channel c shifted by
// (p, q); the convolution is linear in k, so its impulses say everything about it.
TEST(ConvDirect, AnImpulseShiftsTheImage) {
  const ConvShape shape{2, 3, 2, 7, 9, 3, 2};
  const auto x = test::random_floats(shape.x_size(), 1);
  for (int m = 0; m < shape.M; ++m)
    for (int c = 0; c < shape.C; ++c)
      for (int p = 0; p < shape.K; ++p)
        for (int q = 0; q < shape.K; ++q) {
          std::vector<float> k(static_cast<std::size_t>(shape.k_size()), 0.0F);
          k[static_cast<std::size_t>(((m * shape.C + c) * shape.K + p) * shape.K + q)] = 1;
          const auto y = direct(shape, x, k);
          std::size_t i = 0;
          for (int b = 0; b < shape.B; ++b)
            for (int map = 0; map < shape.M; ++map)
              for (int h = 0; h < 3; ++h)
                for (int w = 0; w < 4; ++w, ++i) {
                  const int source = ((b * 2 + c) * 7 + h * 2 + p) * 9 + w * 2 + q;
                  ASSERT_EQ(y[i], map == m ? x[static_cast<std::size_t>(source)] : 0.0)
                      << "m=" << m << " c=" << c << " p=" << p << " q=" << q << " at " << i;
                }
        }
}

TEST(ConvDirect, NanAndInfinityComeThrough) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const auto y = direct({1, 1, 1, 1, 3, 1, 1}, {nan, inf, 1}, {2});
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], std::numeric_limits<double>::infinity());
  EXPECT_EQ(y[2], 2);
}

TEST(ConvDirect, RefusesAnInvalidShape) {
  EXPECT_THROW(conv_direct({1, 1, 1, 2, 2, 3, 1}, nullptr, nullptr, nullptr),
               std::invalid_argument);
}

}  // namespace
}  // namespace opgrade
