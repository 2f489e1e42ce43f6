// The last line that Autolab reads, and the base64 that GitHub's autograding reporters read.
#include "grader/report/autolab.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "grader/report/github_points.hpp"
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

nlohmann::json decoded(std::string text) {
  text.pop_back();
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    const auto digit = kDigits.find(c);
    if (digit == kDigits.npos) break;
    bits = bits << 6 | static_cast<unsigned>(digit);
    if ((count += 6) >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return nlohmann::json::parse(bytes);
}

TEST(GithubPoints, Base64IsRfc4648s) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foo"), "Zm9v");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64("\xFF\xFE\xFD"), "//79");
}

TEST(GithubPoints, KeepsToTheSchema) {
  test::SchemaValidator validator(nlohmann::json::parse(R"({
    "type": "object", "required": ["version", "status", "max_score", "tests"], "properties": {
      "version": {"enum": [1]},
      "status": {"enum": ["pass", "fail", "error"]},
      "max_score": {"type": "number", "minimum": 0},
      "tests": {"type": "array", "items": {
        "type": "object", "required": ["name", "status", "score"], "properties": {
          "name": {"type": "string"}, "status": {"enum": ["pass", "fail", "error"]},
          "score": {"type": "number"}, "message": {"type": "string"},
          "test_code": {"type": "string"}, "filename": {"type": "string"},
          "line_no": {"type": "integer"}, "duration": {"type": "number"}}}}}})"));
  for (const auto& words : kOutcomes) {
    const auto result = decoded(github_points(test::grade_with(words.outcome), Audience::student));
    EXPECT_EQ(validator.check(result), std::vector<std::string>{}) << words.id;
  }
  const auto passed = decoded(github_points(test::passed_grade(), Audience::student));
  EXPECT_EQ(passed["status"], "pass");
  EXPECT_EQ(passed["max_score"], 5);
  EXPECT_EQ(passed["tests"][0]["score"], 5);
  const auto fault =
      decoded(github_points(test::grade_with(Outcome::grader_fault), Audience::staff));
  EXPECT_EQ(fault["status"], "error");
  EXPECT_TRUE(fault["tests"].empty());
}

}  // namespace
}  // namespace opgrade::report
