#include "grader/report/words/changes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Changes, NothingIsSaidOfWhatIsTheSame) {
  Grade grade = test::passed_grade();
  EXPECT_THAT(changes_between(grade, grade), IsEmpty());
  Grade later = grade;
  later.elapsed_s += 1;
  later.stages[0].cases[0].calls[0].op_time.samples_ms = {7};
  EXPECT_THAT(changes_between(grade, later), IsEmpty()) << "times always differ";
}

TEST(Changes, OutcomesWrongElementsAndPoints) {
  Grade before = test::grade_with(Outcome::wrong_output), after = before;
  before.points = 0, after.points = 2.5;
  before.stages[0].cases[0].calls[0].check.mismatches = 12;
  after.stages[0].cases[0].calls[0].check.mismatches = 3;
  EXPECT_THAT(changes_between(before, after),
              ElementsAre("cpu/high/1000: wrong output (12 elements) -> wrong output (3 elements)",
                          "points: 0 -> 2.5"));
  after.stages[0].cases[0].outcome = Outcome::crashed;
  EXPECT_THAT(
      changes_between(before, after),
      ElementsAre("cpu/high/1000: wrong output (12 elements) -> crashed", "points: 0 -> 2.5"));
}

TEST(Changes, ABuildAndCasesThatOneOfThemLacks) {
  Grade before = test::grade_with(Outcome::passed), after = before;
  after.stages[0].build.outcome = Outcome::build_failed;
  after.stages[0].cases[0].id = "cpu/other";
  EXPECT_THAT(changes_between(before, after), ElementsAre("cpu's build: passed -> does not build"));
  after.stages.clear();
  EXPECT_THAT(changes_between(before, after), IsEmpty());
}

}  // namespace
}  // namespace opgrade::report
