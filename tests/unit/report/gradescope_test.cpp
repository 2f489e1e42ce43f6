#include "grader/report/gradescope.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

nlohmann::json results(const Grade& grade) {
  return nlohmann::json::parse(gradescope_results(grade, Audience::student));
}

TEST(Gradescope, ScoresAreTheGrades) {
  Grade grade = test::passed_grade();
  grade.stages[0].points = {{"Op Time", 1.5, 3, "slow", false}};
  grade.points = 6.5;
  grade.elapsed_s = 12.6;
  const auto r = results(grade);
  EXPECT_EQ(r["score"], 6.5);
  EXPECT_EQ(r["execution_time"], 13);
  EXPECT_EQ(r["stdout_visibility"], "hidden");
  ASSERT_EQ(r["tests"].size(), 2u);
  EXPECT_EQ(r["tests"][0]["name"], "cpu/high/1000");
  EXPECT_EQ(r["tests"][0]["status"], "passed");
  EXPECT_EQ(r["tests"][0]["score"], 5);
  EXPECT_EQ(r["tests"][1]["status"], "failed");
  EXPECT_EQ(r["tests"][1]["max_score"], 3);
  EXPECT_EQ(r["tests"][1]["output"], "slow");
}

TEST(Gradescope, WhatIsNotEmulatedFailsNoTest) {
  Grade grade = test::grade_with(Outcome::not_emulated);
  grade.stages[0].build.outcome = Outcome::not_emulated;
  grade.stages[0].cases[0].points[0].open = true;
  const auto r = results(grade);
  ASSERT_EQ(r["tests"].size(), 1u) << "the build is no test of its own";
  EXPECT_FALSE(r["tests"][0].contains("status"));
  EXPECT_EQ(r["tests"][0]["output"].get<std::string>().find("open: not decided here\nneeds a GPU"),
            0u);
}

TEST(Gradescope, AGraderFaultGivesNoScore) {
  const auto r = results(test::grade_with(Outcome::grader_fault));
  EXPECT_FALSE(r.contains("score"));
  EXPECT_FALSE(r.contains("tests"));
  EXPECT_NE(r["output"].get<std::string>().find("GRADER FAULT"), std::string::npos);
}

TEST(Gradescope, OpenPointsAreNeitherPassedNorFailed) {
  Grade grade = test::grade_with(Outcome::not_run);
  grade.stages[0].cases[0].points[0].open = true;
  const auto test = results(grade)["tests"][0];
  EXPECT_FALSE(test.contains("status"));
  EXPECT_FALSE(test.contains("score"));
  EXPECT_EQ(test["output"].get<std::string>().substr(0, 5), "open:");
}

TEST(Gradescope, ABuildThatFailedIsATest) {
  Grade grade = test::grade_with(Outcome::not_run);
  grade.outcome = Outcome::build_failed;
  grade.stages[0].build = {Outcome::build_failed, "refused", "", "x.cc:1:1: error: no", 1};
  const auto test = results(grade)["tests"][0];
  EXPECT_EQ(test["name"], "cpu: build");
  EXPECT_EQ(test["status"], "failed");
  EXPECT_EQ(test["output"], "refused\nx.cc:1:1: error: no");
}

TEST(Gradescope, HiddenCasesShowNoDetails) {
  Grade grade = test::grade_with(Outcome::wrong_output);
  grade.stages[0].cases[0].hidden = true;
  const std::string text = gradescope_results(grade, Audience::student);
  EXPECT_EQ(text.find("cpu/high"), text.npos);
  EXPECT_EQ(text.find("what happened"), text.npos);
  EXPECT_NE(text.find("hidden 1"), text.npos);
}

}  // namespace
}  // namespace opgrade::report
