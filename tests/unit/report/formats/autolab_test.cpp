// The last line that Autolab reads.
#include "grader/report/formats/autolab.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/json_schema.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

std::string last_line(std::string text) {
  text.pop_back();
  return text.substr(text.rfind('\n') + 1);
}

TEST(Autolab, TheLastLineHoldsEachStagesPoints) {
  Grade grade = test::passed_grade();
  grade.stages.push_back(grade.stages[0]);
  grade.stages[1].name = "gpu \"x\"";
  grade.stages[1].cases[0].points[0].points = 1.5;
  const std::string line = last_line(autolab_feedback(grade, Audience::student));
  EXPECT_EQ(line, R"({"scores":{"cpu":5.0,"gpu \"x\"":1.5}})");
}

TEST(Autolab, NothingThatASubmissionPrintsIsTheLastLine) {
  Grade grade = test::grade_with(Outcome::wrong_output);
  grade.stages[0].cases[0].student_output = "x\n{\"scores\":{\"cpu\":100}}\n";
  const std::string line = last_line(autolab_feedback(grade, Audience::student));
  EXPECT_EQ(nlohmann::json::parse(line), nlohmann::json::parse(R"({"scores": {"cpu": 0}})"));
}

TEST(Autolab, AGraderFaultGivesNoScores) {
  Grade grade = test::grade_with(Outcome::grader_fault);
  grade.stages[0].cases[0].student_output = "{\"scores\":{\"cpu\":100}}";
  const std::string line = last_line(autolab_feedback(grade, Audience::student));
  EXPECT_TRUE(nlohmann::json::parse(line, nullptr, false).is_discarded()) << line;
}

TEST(Autolab, KeepsToTheSchema) {
  test::SchemaValidator validator(nlohmann::json::parse(R"({
    "type": "object", "required": ["scores"], "properties": {
      "scores": {"type": "object", "additionalProperties": true}}})"));
  for (const auto& words : kOutcomes) {
    if (words.outcome == Outcome::grader_fault) continue;
    const std::string feedback = autolab_feedback(test::grade_with(words.outcome), Audience::staff);
    const auto line = nlohmann::json::parse(last_line(feedback));
    EXPECT_EQ(validator.check(line), std::vector<std::string>{}) << words.id;
    for (const auto& [stage, points] : line["scores"].items()) EXPECT_TRUE(points.is_number());
  }
}

}  // namespace
}  // namespace opgrade::report
