#include "grader/base/core/sign_flips.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace opgrade {
namespace {

std::vector<float> values(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<float>(i % 97) - 20.5F;
  return made;
}

TEST(SignFlips, KeepEverySizeAndTurnAboutHalfOfTheSigns) {
  const auto before = values(100'000);
  auto after = before;
  flip_signs(after, 7, 2);
  int turned = 0;
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(std::fabs(after[i]), std::fabs(before[i]));
    EXPECT_EQ(after[i] != before[i], turns_sign(7, i)) << i;
    turned += after[i] != before[i] ? 1 : 0;
  }
  // Six standard deviations of a fair coin.
  EXPECT_NEAR(turned, 50'000, 6 * std::sqrt(25'000.0));
}

TEST(SignFlips, SeedsAreIndependentAndDoneTwiceGiveTheValuesBack) {
  const auto before = values(4099);
  auto one = before, other = before;
  flip_signs(one, 1, 1);
  flip_signs(other, 2, 3);
  int equal = 0;
  for (std::size_t i = 0; i < before.size(); ++i) equal += one[i] == other[i] ? 1 : 0;
  EXPECT_NEAR(equal, 4099 / 2, 6 * std::sqrt(4099 / 4.0));
  flip_signs(one, 1, 3);
  EXPECT_EQ(std::memcmp(one.data(), before.data(), one.size() * sizeof(float)), 0);
}

TEST(SignFlips, NothingToDo) { flip_signs({}, 3, 2); }

}  // namespace
}  // namespace opgrade
