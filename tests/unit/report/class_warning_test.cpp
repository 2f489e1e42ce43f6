#include "grader/report/class_warning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace opgrade::report {
namespace {

std::string warning(const std::vector<Outcome>& outcomes) { return class_warning(outcomes); }

TEST(ClassWarning, SaysThatNoRightOutputsHaveTheAccuracy) {
  EXPECT_THAT(warning({Outcome::wrong_output, Outcome::wrong_accuracy, Outcome::wrong_accuracy}),
              testing::AllOf(testing::HasSubstr("2 submissions with right outputs have"),
                             testing::HasSubstr("opgrade check-config")));
  EXPECT_EQ(warning({Outcome::wrong_accuracy, Outcome::passed}), "") << "its own mistake";
  EXPECT_EQ(warning({Outcome::wrong_accuracy, Outcome::not_credible}), "");
  EXPECT_EQ(warning({Outcome::wrong_output, Outcome::crashed}), "");
  EXPECT_EQ(warning({}), "");
}

}  // namespace
}  // namespace opgrade::report
