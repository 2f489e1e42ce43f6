#include "grader/task/conv/data/resize.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "grader/base/core/error.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;
using Pixels = std::vector<std::uint8_t>;

Pixels resized(const Pixels& in, int H_in, int W_in, int H_out, int W_out) {
  Pixels out(static_cast<std::size_t>(H_out * W_out));
  resize_image(in, H_in, W_in, out, H_out, W_out);
  return out;
}

TEST(Resize, TwiceAsWide) {
  // Positions -1/4, 1/4, 3/4, 5/4; outside is zero.
  EXPECT_THAT(resized({100, 200}, 1, 2, 1, 4), ElementsAre(75, 125, 175, 150));
  // 0.75, 1.25, 1.75, 1.5 are truncated, not rounded.
  EXPECT_THAT(resized({1, 2}, 1, 2, 1, 4), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(resized({100, 200}, 2, 1, 4, 1), ElementsAre(75, 125, 175, 150));
}

TEST(Resize, BothWays) {
  // Rows and columns take 1/4 and 3/4 of their neighbours: the input rows blend to [0, 75],
  // [50, 85], [150, 55] and [150, 30], and each of those to four values.
  EXPECT_THAT(resized({0, 100, 200, 40}, 2, 2, 4, 4),
              ElementsAre(0, 18, 56, 56,       // 0, 18.75, 56.25, 56.25
                          37, 58, 76, 63,      // 37.5, 58.75, 76.25, 63.75
                          112, 126, 78, 41,    // 112.5, 126.25, 78.75, 41.25
                          112, 120, 60, 22));  // 112.5, 120, 60, 22.5
}

TEST(Resize, HalfAsWide) {
  EXPECT_THAT(resized({10, 20, 30, 41}, 1, 4, 1, 2), ElementsAre(15, 35));
}

TEST(Resize, SameSizeKeepsEveryPixel) {
  const Pixels in{1, 2, 3, 250, 251, 255};
  EXPECT_EQ(resized(in, 2, 3, 2, 3), in);
}

// A grey area stays exactly grey: in floating point, weights that add up to just under 1 would
// give 200 here and there.
TEST(Resize, WholeNumbersAreNotTruncatedFurther) {
  for (const int side : {48, 64, 70, 72, 86}) {
    const Pixels out = resized(Pixels(28 * 28, 201), 28, 28, side, side);
    // Positions between the first and the last input pixel's centres see grey only.
    for (int h = 0; h < side; ++h) {
      for (int w = 0; w < side; ++w) {
        const auto inside = [&](int i) {
          const int numerator = (2 * i + 1) * 28 - side;
          return numerator >= 0 && numerator <= 27 * 2 * side;
        };
        if (inside(h) && inside(w)) {
          ASSERT_EQ(out[std::size_t(h * side + w)], 201) << h << " " << w;
        }
      }
    }
  }
}

TEST(Resize, EdgeOf86) {
  // Pixel 0 of 86 lies at -58/172: 114/172 of the first pixel. 201*114/172 = 133.2 and, in the
  // corner, 201*114*114/172/172 = 88.3.
  const Pixels out = resized(Pixels(28 * 28, 201), 28, 28, 86, 86);
  EXPECT_EQ(out[0], 88);
  EXPECT_EQ(out[40], 133);
  EXPECT_EQ(out[85], 88);
  EXPECT_EQ(out[86 * 86 - 1], 88);
}

TEST(Resize, SizesThatDoNotFitAreErrors) {
  Pixels in(4), out(4);
  EXPECT_THROW(resize_image(in, 2, 3, out, 2, 2), Error);
  EXPECT_THROW(resize_image(in, 2, 2, out, 2, 3), Error);
  EXPECT_THROW(resize_image({}, 0, 2, out, 2, 2), Error);
  EXPECT_THROW(resize_image(in, -2, -2, out, 2, 2), Error);
  Pixels wide(1025);
  EXPECT_THROW(resize_image(in, 2, 2, wide, 1, 1025), Error);
}

TEST(Resize, LargestSidesDoNotOverflow) {
  const Pixels out = resized(Pixels(1024 * 1024, 255), 1024, 1024, 1024, 1024);
  EXPECT_EQ(out, Pixels(1024 * 1024, 255));
}

}  // namespace
}  // namespace opgrade
