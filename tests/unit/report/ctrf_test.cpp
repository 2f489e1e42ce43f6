#include "grader/report/ctrf.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/json_schema.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

/// What the format asks of the fields that opgrade writes; keys of one's own stand under `extra`.
const nlohmann::json& ctrf_schema() {
  static const auto schema = nlohmann::json::parse(R"({
    "definitions": {
      "count": {"type": "integer", "minimum": 0},
      "lines": {"type": "array", "items": {"type": "string"}},
      "extra": {"type": "object", "additionalProperties": true}
    },
    "type": "object", "required": ["results", "reportFormat", "specVersion"],
    "properties": {
      "reportFormat": {"enum": ["CTRF"]},
      "specVersion": {"type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$"},
      "generatedBy": {"type": "string"},
      "extra": {"$ref": "#/definitions/extra"},
      "results": {"type": "object", "required": ["tool", "summary", "tests"], "properties": {
        "tool": {"type": "object", "required": ["name"], "properties": {
          "name": {"type": "string", "minLength": 1}, "version": {"type": "string"}}},
        "summary": {"type": "object",
          "required": ["tests", "passed", "failed", "skipped", "pending", "other", "start", "stop"],
          "properties": {
            "tests": {"$ref": "#/definitions/count"}, "passed": {"$ref": "#/definitions/count"},
            "failed": {"$ref": "#/definitions/count"}, "skipped": {"$ref": "#/definitions/count"},
            "pending": {"$ref": "#/definitions/count"}, "other": {"$ref": "#/definitions/count"},
            "start": {"$ref": "#/definitions/count"}, "stop": {"$ref": "#/definitions/count"}}},
        "tests": {"type": "array", "items": {
          "type": "object", "required": ["name", "status", "duration"], "properties": {
            "name": {"type": "string", "minLength": 1},
            "status": {"enum": ["passed", "failed", "skipped", "pending", "other"]},
            "duration": {"$ref": "#/definitions/count"},
            "suite": {"$ref": "#/definitions/lines"},
            "rawStatus": {"type": "string"},
            "message": {"type": "string"},
            "trace": {"type": "string"},
            "stdout": {"$ref": "#/definitions/lines"},
            "stderr": {"$ref": "#/definitions/lines"},
            "extra": {"$ref": "#/definitions/extra"}}}}}}}})");
  return schema;
}

nlohmann::json ctrf(const Grade& grade, Audience audience = Audience::student) {
  return nlohmann::json::parse(ctrf_report(grade, audience));
}

TEST(Ctrf, TestsAreTheCases) {
  Grade grade = test::passed_grade();
  grade.machine.started = "2026-11-22T10:00:00Z";
  grade.elapsed_s = 2.5;
  grade.stages[0].cases[0].student_output = "one\ntwo\n";
  const auto results = ctrf(grade)["results"];
  ASSERT_EQ(results["tests"].size(), 1u);
  const auto& test = results["tests"][0];
  EXPECT_EQ(test["name"], "cpu/high/1000");
  EXPECT_EQ(test["status"], "passed");
  EXPECT_EQ(test["duration"], 1300);
  EXPECT_EQ(test["suite"], nlohmann::json({"cpu"}));
  EXPECT_EQ(test["stdout"], nlohmann::json({"one", "two"}));
  EXPECT_EQ(test["extra"]["points"], "5/5");
  EXPECT_EQ(results["summary"]["passed"], 1);
  EXPECT_EQ(results["summary"]["start"], 1795341600000);
  EXPECT_EQ(results["summary"]["stop"], 1795341602500);
}

TEST(Ctrf, EachOutcomeHasItsStatus) {
  const auto status = [](Outcome outcome) {
    return ctrf(test::grade_with(outcome))["results"]["tests"][0]["status"];
  };
  EXPECT_EQ(status(Outcome::wrong_output), "failed");
  EXPECT_EQ(status(Outcome::not_run), "skipped");
  EXPECT_EQ(status(Outcome::not_emulated), "pending");
  EXPECT_EQ(status(Outcome::grader_fault), "other");
  Grade advice = test::grade_with(Outcome::wrong_output);
  advice.stages[0].cases[0].advice = true;
  EXPECT_EQ(ctrf(advice)["results"]["tests"][0]["status"], "other");
}

TEST(Ctrf, NoReportWithoutAFailureStandsForAFailure) {
  Grade refused;
  refused.outcome = Outcome::refused;
  refused.reason = "new-forward.cu is missing";
  const auto results = ctrf(refused)["results"];
  EXPECT_EQ(results["summary"]["failed"], 1);
  EXPECT_EQ(results["tests"][0]["message"], "new-forward.cu is missing");
}

TEST(Ctrf, KeepsToTheSchema) {
  test::SchemaValidator validator(ctrf_schema());
  using Problems = std::vector<std::string>;
  for (const auto& words : kOutcomes) {
    Grade grade = test::grade_with(words.outcome);
    grade.stages[0].build.outcome = words.outcome;
    EXPECT_EQ(validator.check(ctrf(grade)), Problems{}) << words.id;
  }
  EXPECT_EQ(validator.check(ctrf({})), Problems{});
  auto report = ctrf(test::full_grade(), Audience::staff);
  EXPECT_EQ(validator.check(report), Problems{});
  report["results"]["tests"][0]["points"] = 5;
  EXPECT_EQ(validator.check(report).size(), 1u);
}

}  // namespace
}  // namespace opgrade::report
