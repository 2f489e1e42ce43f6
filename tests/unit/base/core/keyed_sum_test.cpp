#include "grader/base/core/keyed_sum.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <vector>

namespace opgrade {
namespace {

TEST(KeyedSum, IsTheSumOfBitsTimesWords) {
  const std::vector<float> values{1.5F, -2.0F, 0.0F};
  std::uint64_t want = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    want += std::bit_cast<std::uint32_t>(values[i]) * random_word(42, i);
  EXPECT_EQ(keyed_sum(values, 42, 1), want);
}

TEST(KeyedSum, DoesNotDependOnThreads) {
  std::vector<float> values((std::size_t{1} << 20) + 17);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) * 0.25F;
  EXPECT_EQ(keyed_sum(values, 7, 1), keyed_sum(values, 7, 5));
}

TEST(KeyedSum, TellsWhatAPlainSumWouldNot) {
  const std::vector<float> values{1, 2, 3, 4};
  const auto sum = keyed_sum(values, 1, 1);
  EXPECT_NE(keyed_sum(std::vector<float>{2, 1, 3, 4}, 1, 1), sum) << "places changed";
  EXPECT_NE(keyed_sum(std::vector<float>{1, 2, 3, 4.0000005F}, 1, 1), sum) << "a last bit";
  EXPECT_NE(keyed_sum(values, 2, 1), sum) << "another key";
  // The sign of zero: equal as numbers, not as bits.
  EXPECT_NE(keyed_sum(std::vector<float>{-0.0F}, 1, 1), keyed_sum(std::vector<float>{0.0F}, 1, 1));
}

}  // namespace
}  // namespace opgrade
