#include "grader/app/random_shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace opgrade {
namespace {

bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

// Whatever the seed, the corners that the grading promises are among the first shapes.
TEST(RandomShapes, CoverTheCornersForEverySeed) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    std::mt19937_64 random(seed);
    const auto shapes = random_shapes(8, random, false);
    ASSERT_EQ(shapes.size(), 8U);
    const auto any = [&](auto predicate) { return std::ranges::any_of(shapes, predicate); };
    for (const int K : {1, 3, 5, 7}) EXPECT_TRUE(any([&](auto& s) { return s.K == K; })) << K;
    EXPECT_TRUE(any([](auto& s) { return s.B == 1; }));
    EXPECT_TRUE(any([](auto& s) { return is_prime(s.B); }));
    EXPECT_TRUE(any([](auto& s) { return s.M == 1; }));
    EXPECT_TRUE(any([](auto& s) { return s.C == 1; }));
    EXPECT_TRUE(any([](auto& s) { return s.H < s.W; }) || any([](auto& s) { return s.H > s.W; }));
    EXPECT_TRUE(any([](auto& s) { return s.H_out() == 1 && s.W_out() == 1; }));
    for (const auto& s : shapes) {
      EXPECT_TRUE(s.valid());
      EXPECT_EQ(s.S, 1);
      EXPECT_LT(s.flops(), 2e8) << "some ms in plain loops";
      EXPECT_TRUE(s.H != s.W || s.H == s.K);
    }
  }
}

TEST(RandomShapes, StridesWhereTheInterfaceHasThem) {
  std::mt19937_64 random(1);
  std::set<int> strides;
  for (const auto& s : random_shapes(8, random, true)) {
    EXPECT_TRUE(s.valid());
    strides.insert(s.S);
  }
  for (const int S : {1, 2, 3, 4}) EXPECT_TRUE(strides.contains(S)) << S;
}

TEST(RandomShapes, TheSameSeedGivesTheSameShapesAndValues) {
  std::mt19937_64 a(42), b(42), c(43);
  const auto shapes = random_shapes(12, a, false);
  EXPECT_EQ(shapes, random_shapes(12, b, false));
  EXPECT_NE(shapes, random_shapes(12, c, false));
  std::vector<float> x(100), y(100);
  fill_random(x, a);
  fill_random(y, b);
  EXPECT_EQ(x, y);
}

TEST(RandomShapes, NoneIsNone) {
  std::mt19937_64 random(1);
  EXPECT_TRUE(random_shapes(0, random, false).empty());
}

TEST(FillRandom, ValuesByHand) {
  // The first outputs of mt19937_64 with its default seed 5489 are fixed by the C++ standard's
  // algorithm: 14514284786278117030, 4620546740167642908, 13109570281517897720.
  std::mt19937_64 random(5489);
  float values[3];
  fill_random(values, random);
  const auto expected = [](std::uint64_t bits) {
    float v = static_cast<float>(static_cast<double>(bits >> 40) / (1 << 23) - 1);
    if (bits % 64 == 0) v *= 16;
    if (bits % 64 == 1) v /= 1024;
    return v;
  };
  EXPECT_EQ(values[0], expected(14514284786278117030ULL));
  EXPECT_EQ(values[1], expected(4620546740167642908ULL));
  EXPECT_EQ(values[2], expected(13109570281517897720ULL));
}

TEST(FillRandom, MostlyWithinOneSomeLargeSomeTinyBothSigns) {
  std::mt19937_64 random(1);
  std::vector<float> values(100'000);
  fill_random(values, random);
  const auto count = [&](auto predicate) { return std::ranges::count_if(values, predicate); };
  EXPECT_GT(count([](float v) { return std::fabs(v) > 1; }), 500);
  EXPECT_LT(count([](float v) { return std::fabs(v) > 1; }), 3000);
  EXPECT_EQ(count([](float v) { return !(std::fabs(v) <= 16); }), 0);
  EXPECT_GT(count([](float v) { return v < 0; }), 45'000);
  EXPECT_GT(count([](float v) { return v > 0; }), 45'000);
}

}  // namespace
}  // namespace opgrade
