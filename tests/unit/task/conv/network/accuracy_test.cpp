#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "grader/base/core/error.hpp"
#include "grader/task/conv/network/forward.hpp"

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
}

TEST(Accuracy, SizesMustGoTogether) {
  const std::vector<float> logits(10, 0);
  EXPECT_THROW(count_correct(logits, std::vector<std::uint8_t>(3)), Error);
  EXPECT_THROW(count_correct({}, {}), Error);
  EXPECT_THROW(predictions(logits, 0), Error);
  EXPECT_THROW(predictions(logits, 3), Error);
}

}  // namespace
}  // namespace opgrade
