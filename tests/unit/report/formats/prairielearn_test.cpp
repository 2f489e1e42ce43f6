#include "grader/report/formats/prairielearn.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/json_schema.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

const nlohmann::json& prairielearn_schema() {
  static const auto schema = nlohmann::json::parse(R"({
    "type": "object", "required": ["gradable"],
    "properties": {
      "gradable": {"type": "boolean"},
      "format_errors": {"type": "array", "items": {"type": "string", "minLength": 1}},
      "score": {"type": "number", "minimum": 0, "maximum": 1},
      "message": {"type": "string"},
      "output": {"type": "string"},
      "tests": {"type": "array", "items": {
        "type": "object", "required": ["name", "points", "max_points"], "properties": {
          "name": {"type": "string"},
          "points": {"type": "number", "minimum": 0},
          "max_points": {"type": "number", "minimum": 0},
          "message": {"type": "string"}}}}}})");
  return schema;
}

nlohmann::json prairielearn(const Grade& grade, Audience audience = Audience::student) {
  return nlohmann::json::parse(prairielearn_results(grade, audience));
}

TEST(PrairieLearn, TheScoreIsAShare) {
  Grade grade = test::passed_grade();
  grade.stages[0].points = {{"Op Time", 1, 3, text_reason("slow"), false}};
  grade.points = 6;
  grade.max_points = 8;
  const auto r = prairielearn(grade);
  EXPECT_EQ(r["score"], 0.75);
  ASSERT_EQ(r["tests"].size(), 2u);
  EXPECT_EQ(r["tests"][1]["name"], "cpu: Op Time");
  EXPECT_EQ(r["tests"][1]["points"], 1);
  EXPECT_EQ(r["tests"][1]["max_points"], 3);
}

TEST(PrairieLearn, OpenPointsAreNeitherEarnedNorLost) {
  Grade grade = test::passed_grade();
  grade.stages[0].points = {{"Report", 0, 5, text_reason("given by staff"), true}};
  grade.max_points = 10;
  grade.open_points = 5;
  const auto r = prairielearn(grade);
  EXPECT_EQ(r["score"], 1);
  EXPECT_EQ(r["tests"].size(), 1u);
}

TEST(PrairieLearn, FaultsAndRefusalsCostNoAttempt) {
  for (const Outcome outcome : {Outcome::grader_fault, Outcome::refused}) {
    const auto r = prairielearn(test::grade_with(outcome));
    EXPECT_EQ(r["gradable"], false);
    EXPECT_FALSE(r.contains("score"));
    EXPECT_NE(r["format_errors"][0].get<std::string>().find("what happened"), std::string::npos);
  }
}

TEST(PrairieLearn, StaysBelowItsLimit) {
  Grade grade = test::grade_with(Outcome::wrong_output);
  grade.stages[0].cases.assign(3000, grade.stages[0].cases[0]);
  for (auto& c : grade.stages[0].cases) c.id = std::string(400, 'x');
  const std::string text = prairielearn_results(grade, Audience::student);
  EXPECT_LE(text.size(), kMaxPrairieLearn);
  EXPECT_TRUE(nlohmann::json::parse(text).contains("score"));
}

TEST(PrairieLearn, KeepsToTheSchema) {
  test::SchemaValidator validator(prairielearn_schema());
  using Problems = std::vector<std::string>;
  for (const auto& words : kOutcomes) {
    EXPECT_EQ(validator.check(prairielearn(test::grade_with(words.outcome))), Problems{})
        << words.id;
  }
  EXPECT_EQ(validator.check(prairielearn({})), Problems{});
  EXPECT_EQ(validator.check(prairielearn(test::full_grade(), Audience::staff)), Problems{});
  auto broken = prairielearn(test::passed_grade());
  broken["tests"][0].erase("max_points");
  EXPECT_EQ(validator.check(broken).size(), 1u);
}

}  // namespace
}  // namespace opgrade::report
