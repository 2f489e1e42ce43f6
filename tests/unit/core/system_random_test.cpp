#include "grader/core/fresh_random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace opgrade {
namespace {

// Each word of the entropy counts, to its last bit: a seed of 32 bits can be found by trying.
TEST(FreshRandom, EveryBitOfTheSeedCounts) {
  constexpr int kWords = 16;
  std::set<std::uint64_t> firsts;
  for (int bit = -1; bit < kWords * 32; ++bit) {
    int word = 0;
    const auto entropy = [&] {
      const int at = word++;
      return bit >= 0 && at == bit / 32 ? std::uint32_t{1} << bit % 32 : 0U;
    };
    firsts.insert(fresh_random(entropy)());
    EXPECT_EQ(word, kWords);
  }
  EXPECT_EQ(firsts.size(), 1 + kWords * 32);
}

TEST(FreshRandom, IsAnotherEachTime) { EXPECT_NE(fresh_random()(), fresh_random()()); }

}  // namespace
}  // namespace opgrade
