#include "grader/base/core/recent_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace opgrade {
namespace {

TEST(RecentMap, HoldsTheLastKeysAndAtMostTwiceAsMany) {
  constexpr int kKept = 10;
  RecentMap<int, int> map(kKept);
  for (int key = 0; key < 1000; ++key) {
    EXPECT_EQ(map.add(key, key * key), key * key);
    EXPECT_LE(map.size(), 2u * kKept);
    for (int last = std::max(0, key - kKept + 1); last <= key; ++last) {
      const int* const found = map.find(last);
      ASSERT_NE(found, nullptr) << last << " of " << key;
      EXPECT_EQ(*found, last * last);
    }
  }
  EXPECT_EQ(map.find(0), nullptr);
  EXPECT_EQ(map.find(1000), nullptr);
}

TEST(RecentMap, KeepsWhatIsAskedForAgainAndAgain) {
  RecentMap<int, int> map(4);
  map.add(-1, 7);
  for (int key = 0; key < 100; ++key) {
    map.add(key, 0);
    ASSERT_NE(map.find(-1), nullptr) << key;
  }
  EXPECT_EQ(*map.find(-1), 7);
}

TEST(RecentMap, DoesNotReplaceAValue) {
  RecentMap<int, int> map(4);
  map.add(1, 1);
  EXPECT_EQ(map.add(1, 2), 1);
  EXPECT_EQ(map.size(), 1u);
}

}  // namespace
}  // namespace opgrade
