#include "grader/task/conv/random_shapes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "grader/task/interface/random_values.hpp"

namespace opgrade {
namespace {

bool is_prime(int n) {
  for (int d = 2; d * d <= n; ++d)
    if (n % d == 0) return false;
  return n > 1;
}

// Whatever the seed: two gradings must not differ in the kinds of shapes they try.
TEST(RandomShapes, CoverEveryKindForEverySeed) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    const auto shapes = random_shapes(8, random, false);
    ASSERT_EQ(shapes.size(), 8U);
    const auto any = [&](auto predicate) { return std::ranges::any_of(shapes, predicate); };
    for (const int K : {1, 3, 5, 7}) EXPECT_TRUE(any([&](auto& s) { return s.K == K; })) << K;
    EXPECT_TRUE(any([](auto& s) { return s.B == 1; }));
    EXPECT_TRUE(any([](auto& s) { return is_prime(s.B); }));
    EXPECT_TRUE(any([](auto& s) { return s.M == 1; }));
    EXPECT_TRUE(any([](auto& s) { return s.M > 32; })) << "more than a warp";
    EXPECT_TRUE(any([](auto& s) { return s.C == 1; }));
    EXPECT_TRUE(any([](auto& s) { return s.W_out() >= 4 * s.H_out(); })) << "wide";
    EXPECT_TRUE(any([](auto& s) { return s.H_out() >= 4 * s.W_out(); })) << "tall";
    EXPECT_TRUE(any([](auto& s) { return s.H_out() == 1 && s.W_out() == 1; }));
    for (const int tile : {8, 16, 32}) {
      EXPECT_TRUE(any([&](auto& s) { return s.H_out() > tile && s.H_out() % tile != 0; })) << tile;
      EXPECT_TRUE(any([&](auto& s) { return s.W_out() > tile && s.W_out() % tile != 0; })) << tile;
      EXPECT_TRUE(any([&](auto& s) { return s.H_out() < tile && s.W_out() < tile; })) << tile;
    }
    EXPECT_TRUE(any([](auto& s) { return s.H_out() % 16 == 1 || s.H_out() % 16 == 15; }));
    EXPECT_TRUE(any([](auto& s) { return s.H_out() % 16 == 0 && s.W_out() % 8 == 0; })) << "whole";
    for (const auto& s : shapes) {
      EXPECT_TRUE(s.valid());
      EXPECT_EQ(s.S, 1);
      EXPECT_LT(s.flops(), 2e8) << "some ms in plain loops";
      EXPECT_TRUE(s.H != s.W || s.H == s.K);
    }
  }
}

TEST(RandomShapes, MoreThanTheKindsAreDrawn) {
  std::mt19937_64 random(7);
  for (const auto& s : random_shapes(200, random, true)) {
    EXPECT_TRUE(s.valid());
    EXPECT_LT(s.flops(), 2e8);
  }
}

const std::vector<ConvLayer> kLayers{
    {0, "conv1", {.B = 1, .M = 4, .C = 1, .H = 86, .W = 86, .K = 7}},
    {3, "conv2", {.B = 1, .M = 16, .C = 4, .H = 40, .W = 40, .K = 7}}};

TEST(RandomBatches, OfEachLayerOneASmallPrimeALargerOneAndTheLargest) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    std::mt19937_64 random(seed);
    const auto calls = random_batches(kLayers, 8, 1e9, random);
    ASSERT_EQ(calls.size(), 8U);
    for (std::size_t i = 0; i < calls.size(); ++i) {
      const ConvShape& s = calls[i].shape;
      EXPECT_EQ(calls[i].name, kLayers[i % 2].name);
      EXPECT_EQ((ConvShape{1, s.M, s.C, s.H, s.W, s.K, s.S}), kLayers[i % 2].shape);
      EXPECT_TRUE(i < 2 ? s.B == 1 : is_prime(s.B)) << s.B;
      EXPECT_LE(s.flops(), 1e9);
    }
    EXPECT_LT(calls[2].shape.B, 8);
    EXPECT_EQ(calls[2].shape.B % 2, 1);
    EXPECT_GT(calls[4].shape.B, 8);
    // 1e9 over 7,250,944 operations an image of conv2 are 137 images, a prime.
    EXPECT_EQ(calls[7].shape.B, 137);
  }
}

TEST(RandomBatches, OneLayerAndFurtherOnes) {
  std::mt19937_64 random(3);
  const auto calls = random_batches({kLayers[0]}, 7, 1e12, random);
  ASSERT_EQ(calls.size(), 7U);
  EXPECT_EQ(calls[0].shape.B, 1);
  EXPECT_EQ(calls[3].shape.B, 1499) << "a prime, and enough";
  for (const auto& call : calls) EXPECT_LE(call.shape.B, 1499);
}

TEST(CaseRandom, DependsOnTheSeedAndOnTheCase) {
  const auto first = [](std::uint64_t seed, const char* id) { return case_random(seed, id)(); };
  EXPECT_EQ(first(1, "m3/random"), first(1, "m3/random"));
  EXPECT_NE(first(1, "m3/random"), first(1, "m4/random"));
  EXPECT_NE(first(1, "m3/random"), first(2, "m3/random"));
  EXPECT_NE(first(1, "m3/random"), first(1 + (std::uint64_t{1} << 32), "m3/random"));
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
  // mt19937_64 with its default seed 5489 begins with 14514284786278117030 (the C++ standard's
  // algorithm): the seed of splitmix64, whose words these are.
  std::mt19937_64 random(5489);
  std::vector<float> values(100'000);
  fill_random(values, random);
  const auto expected = [](std::uint64_t index) {
    std::uint64_t z = 14514284786278117030ULL + (index + 1) * 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    float v = static_cast<float>(static_cast<double>(z >> 40) / (1 << 23) - 1);
    if (z % 64 == 0) v *= 16;
    if (z % 64 == 1) v /= 1024;
    return v;
  };
  for (const std::uint64_t i : {0, 1, 2, 65'535, 65'536, 99'999})
    EXPECT_EQ(values[i], expected(i)) << i;
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
