// The order in which the submissions of a class begin.
#include "grader/course/results/class_order.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace opgrade {
namespace {

using testing::ElementsAre;

TEST(LongestFirst, BeginsWithWhatIsNotKnownThenTheLongest) {
  EXPECT_THAT(longest_first({0, 1, 2, 3, 4}, {2, std::nullopt, 9, std::nullopt, 2}),
              ElementsAre(1, 3, 2, 0, 4));
  EXPECT_THAT(longest_first({4, 2}, {2, std::nullopt, 1, std::nullopt, 2}), ElementsAre(4, 2))
      << "the others are not open";
  EXPECT_THAT(longest_first({2, 0, 1}, {1, 1, 1}), ElementsAre(2, 0, 1)) << "equal ones as given";
  EXPECT_THAT(longest_first({}, {}), ElementsAre());
}

TEST(WorkSeconds, AreOfBuildsAndCallsAndNotOfWaiting) {
  Grade grade;
  grade.elapsed_s = 500;
  EXPECT_EQ(work_seconds(grade), 0);
  StageReport& stage = grade.stages.emplace_back();
  stage.build.elapsed_s = 1.5;
  CallReport& call = stage.cases.emplace_back().calls.emplace_back();
  const CallSample untimed{.use = CallUse::known_input, .layer = std::chrono::milliseconds(500)};
  const CallSample timed{.layer = std::chrono::seconds(2)};
  call.measurement.calls = {untimed, timed};
  grade.stages.push_back(stage);
  EXPECT_EQ(work_seconds(grade), 8);
}

/// Of a class's first grading nothing is known: it keeps its order.
TEST(LongestFirst, KeepsTheOrderOfAClassThatIsNew) {
  const std::vector<std::size_t> given{4, 0, 2};
  EXPECT_EQ(longest_first(given, std::vector<std::optional<double>>(5)), given);
}

}  // namespace
}  // namespace opgrade
