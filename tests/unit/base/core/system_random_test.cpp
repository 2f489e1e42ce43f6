#include "grader/base/core/system_random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace opgrade {
namespace {

TEST(SystemRandom, EveryBitIsDrawnAndNothingComesTwice) {
  SystemRandom one, other;
  std::set<std::uint64_t> seen;
  std::uint64_t ever_set = 0, ever_clear = 0;
  constexpr int kDraws = 100;  // a bit that never changes in 200 numbers is stuck
  for (int i = 0; i < kDraws; ++i) {
    for (const std::uint64_t number : {one(), other()}) {
      seen.insert(number);
      ever_set |= number;
      ever_clear |= ~number;
    }
  }
  EXPECT_EQ(seen.size(), 2 * kDraws);
  EXPECT_EQ(ever_set, SystemRandom::max());
  EXPECT_EQ(ever_clear, SystemRandom::max());
}

}  // namespace
}  // namespace opgrade
