#include "grader/network/accuracy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "grader/core/error.hpp"

namespace opgrade {
namespace {

using testing::ElementsAre;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TEST(Accuracy, PredictsTheLargestLogitAndTheFirstOfEqualOnes) {
  const std::vector<float> logits{1,  3,  2,  //
                                  5,  5,  1,  //
                                  -3, -2, -1};
  EXPECT_THAT(predictions(logits, 3), ElementsAre(1, 0, 2));
}

TEST(Accuracy, NanIsNeverRight) {
  const std::vector<float> logits{kNan, 1, 2, 9, kNan, 1, 1, 9, kNan, kNan, kNan, kNan};
  EXPECT_THAT(predictions(logits, 3), ElementsAre(-1, -1, -1, -1));
  const std::vector<std::uint8_t> labels{0, 0, 1, 0};
  EXPECT_EQ(count_correct(logits, labels), 0);
}

TEST(Accuracy, CountsOverImages) {
  const std::vector<float> logits{0, 1, 1, 0, 0, 1, 1, 0};
  EXPECT_EQ(count_correct(logits, std::vector<std::uint8_t>{1, 0, 0, 0}), 3);
  EXPECT_EQ(accuracy(logits, std::vector<std::uint8_t>{1, 0, 0, 0}), 0.75);
}

TEST(Accuracy, SizesMustGoTogether) {
  const std::vector<float> logits(10, 0);
  EXPECT_THROW(accuracy(logits, std::vector<std::uint8_t>(3)), Error);
  EXPECT_THROW(accuracy({}, {}), Error);
  EXPECT_THROW(predictions(logits, 0), Error);
  EXPECT_THROW(predictions(logits, 3), Error);
  EXPECT_THROW(top_gaps(logits, 1), Error);
}

TEST(Accuracy, TopGapIsRelativeToTheLargestMagnitude) {
  const auto gaps = top_gaps(std::vector<float>{-8, 1, 3,  //
                                                4, 2, 4,   //
                                                0, 0, 0,   //
                                                1, kNan, 0},
                             3);
  ASSERT_EQ(gaps.size(), 4U);
  EXPECT_FLOAT_EQ(gaps[0], 0.25F);
  EXPECT_EQ(gaps[1], 0);
  EXPECT_EQ(gaps[2], 0);
  EXPECT_TRUE(std::isnan(gaps[3]));
}

}  // namespace
}  // namespace opgrade
