#include "reference/conv_shape.hpp"

#include <gtest/gtest.h>

namespace opgrade {
namespace {

TEST(ConvShape, CourseLayersByHand) {
  // The two conv layers of the 86x86 network at the largest batch.
  constexpr ConvShape conv1{.B = 10000, .M = 4, .C = 1, .H = 86, .W = 86, .K = 7};
  EXPECT_EQ(conv1.H_out(), 80);
  EXPECT_EQ(conv1.W_out(), 80);
  EXPECT_EQ(conv1.x_size(), 73'960'000);
  EXPECT_EQ(conv1.y_size(), 256'000'000);
  EXPECT_EQ(conv1.k_size(), 196);
  constexpr ConvShape conv2{.B = 10000, .M = 16, .C = 4, .H = 40, .W = 40, .K = 7};
  EXPECT_EQ(conv2.y_size(), 184'960'000);
  EXPECT_DOUBLE_EQ(conv2.flops(), 2.0 * 184'960'000 * 196);
}

TEST(ConvShape, StrideRoundsDown) {
  constexpr ConvShape s{.H = 10, .W = 9, .K = 3, .S = 3};
  EXPECT_EQ(s.H_out(), 3);
  EXPECT_EQ(s.W_out(), 3);
}

TEST(ConvShape, SizesPass32Bits) {
  constexpr ConvShape s{.B = 100'000, .M = 64, .C = 3, .H = 224, .W = 224, .K = 1};
  EXPECT_EQ(s.y_size(), std::int64_t{100'000} * 64 * 224 * 224);
  EXPECT_GT(s.y_size(), std::int64_t{1} << 32);
}

TEST(ConvShape, ValidNeedsEverySizeAndAMaskThatFits) {
  EXPECT_TRUE((ConvShape{.H = 7, .W = 7, .K = 7}.valid()));
  EXPECT_FALSE((ConvShape{.H = 6, .W = 7, .K = 7}.valid()));
  EXPECT_FALSE((ConvShape{.H = 7, .W = 6, .K = 7}.valid()));
  EXPECT_FALSE((ConvShape{.B = 0}.valid()));
  EXPECT_FALSE((ConvShape{.M = 0}.valid()));
  EXPECT_FALSE((ConvShape{.C = 0}.valid()));
  EXPECT_FALSE((ConvShape{.K = 0}.valid()));
  EXPECT_FALSE((ConvShape{.S = 0}.valid()));
}

}  // namespace
}  // namespace opgrade
