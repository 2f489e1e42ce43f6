#include "grader/report/formats/test_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

TEST(TestResults, EachCaseIsATestOfItsStage) {
  const Grade grade = test::grade_with(Outcome::crashed);
  const std::vector<TestResult> tests = test_results_of(grade);
  ASSERT_EQ(tests.size(), 1U);
  EXPECT_EQ(tests[0].stage, &grade.stages[0]);
  EXPECT_EQ(tests[0].of_case, &grade.stages[0].cases[0]);
  EXPECT_EQ(tests[0].name, "cpu/high/1000");
  EXPECT_EQ(tests[0].end, TestEnd::failed);
  EXPECT_EQ(tests[0].message, "what happened");
  EXPECT_THAT(tests[0].details, testing::HasSubstr("next: "));
}

TEST(TestResults, AdviceFailsNoTest) {
  Grade grade = test::passed_grade();
  auto& c = grade.stages[0].cases[0];
  c.advice = true;
  c.outcome = Outcome::crashed;
  const std::vector<TestResult> tests = test_results_of(grade);
  ASSERT_EQ(tests.size(), 1U) << "the grade is good, so no test stands for the whole submission";
  EXPECT_EQ(tests[0].end, TestEnd::skipped);
  EXPECT_THAT(tests[0].message, testing::StartsWith("The course did not ask for these shapes"));
  EXPECT_NE(tests[0].details, "");
}

TEST(TestResults, AFaultThatNoTestShowsIsATestOfTheWholeSubmission) {
  Grade grade = test::passed_grade();
  grade.outcome = Outcome::refused;
  const std::vector<TestResult> tests = test_results_of(grade);
  ASSERT_EQ(tests.size(), 2U);
  EXPECT_EQ(tests[0].end, TestEnd::passed);
  EXPECT_EQ(tests[1].name, "submission");
  EXPECT_EQ(tests[1].stage, nullptr);
  EXPECT_EQ(tests[1].end, TestEnd::failed);
}

}  // namespace
}  // namespace opgrade::report
