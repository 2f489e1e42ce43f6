#include "grader/report/formats/sarif.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/json_schema.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

/// What SARIF 2.1.0 and GitHub's code scanning ask of the fields that opgrade writes.
const nlohmann::json& sarif_schema() {
  static const auto schema = nlohmann::json::parse(R"({
    "definitions": {
      "text": {"type": "object", "required": ["text"],
               "properties": {"text": {"type": "string", "minLength": 1}}},
      "level": {"enum": ["none", "note", "warning", "error"]}
    },
    "type": "object", "required": ["version", "runs"],
    "properties": {
      "$schema": {"type": "string"},
      "version": {"enum": ["2.1.0"]},
      "runs": {"type": "array", "items": {
        "type": "object", "required": ["tool", "results"],
        "properties": {
          "tool": {"type": "object", "required": ["driver"], "properties": {
            "driver": {"type": "object", "required": ["name", "rules"], "properties": {
              "name": {"type": "string", "minLength": 1},
              "version": {"type": "string", "minLength": 1},
              "rules": {"type": "array", "items": {
                "type": "object",
                "required": ["id", "shortDescription", "fullDescription", "help"],
                "properties": {
                  "id": {"type": "string", "minLength": 1},
                  "shortDescription": {"$ref": "#/definitions/text"},
                  "fullDescription": {"$ref": "#/definitions/text"},
                  "help": {"$ref": "#/definitions/text"}}}}}}}},
          "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
          "invocations": {"type": "array", "items": {
            "type": "object", "required": ["executionSuccessful"], "properties": {
              "executionSuccessful": {"type": "boolean"},
              "toolExecutionNotifications": {"type": "array", "items": {
                "type": "object", "required": ["message"], "properties": {
                  "level": {"$ref": "#/definitions/level"},
                  "message": {"$ref": "#/definitions/text"}}}}}}},
          "results": {"type": "array", "maxItems": 5000, "items": {
            "type": "object",
            "required": ["ruleId", "message", "locations", "partialFingerprints"],
            "properties": {
              "ruleId": {"type": "string", "minLength": 1},
              "ruleIndex": {"type": "integer", "minimum": 0},
              "level": {"$ref": "#/definitions/level"},
              "message": {"$ref": "#/definitions/text"},
              "locations": {"type": "array", "maxItems": 10, "items": {
                "type": "object", "required": ["physicalLocation"], "properties": {
                  "physicalLocation": {"type": "object", "required": ["artifactLocation"],
                    "properties": {
                      "artifactLocation": {"type": "object", "required": ["uri"], "properties": {
                        "uri": {"type": "string", "pattern": "^([A-Za-z0-9._~/-]|%[0-9A-F]{2})+$"},
                        "uriBaseId": {"type": "string", "minLength": 1}}},
                      "region": {"type": "object", "required": ["startLine"], "properties": {
                        "startLine": {"type": "integer", "minimum": 1}}}}}}}},
              "partialFingerprints": {"type": "object", "required": ["primaryLocationLineHash"],
                "properties": {"primaryLocationLineHash":
                  {"type": "string", "pattern": "^[0-9a-f]{16}:[0-9]+$"}}}}}}}}}}})");
  return schema;
}

nlohmann::json sarif(const Grade& grade, Audience audience = Audience::student) {
  return nlohmann::json::parse(sarif_report(grade, audience));
}

Grade with_findings(std::vector<Finding> findings) {
  Grade grade = test::grade_with(Outcome::mistake_found);
  grade.stages[0].folder = "src";
  grade.stages[0].files = {"a b.cu", "new-forward.cu"};
  grade.stages[0].cases[0].findings = std::move(findings);
  return grade;
}

TEST(Sarif, FindingsLieAtTheirLines) {
  const auto report = sarif(with_findings({{"data_race", "k", "new-forward.cu", 39, "two threads"},
                                           {"data_race", "k", "a b.cu", 7, "again"},
                                           {"leak", "k", "new-forward.cu", 3, "a note"}}));
  const auto& run = report["runs"][0];
  ASSERT_EQ(run["results"].size(), 3u);
  const auto& first = run["results"][0];
  EXPECT_EQ(first["ruleId"], "data_race");
  EXPECT_EQ(first["level"], "error");
  EXPECT_EQ(first["message"]["text"], "two threads (cpu/high/1000)");
  const auto& place = first["locations"][0]["physicalLocation"];
  EXPECT_EQ(place["artifactLocation"]["uri"], "src/new-forward.cu");
  EXPECT_EQ(place["region"]["startLine"], 39);
  EXPECT_EQ(run["results"][1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
            "src/a%20b.cu");
  EXPECT_EQ(run["results"][2]["level"], "warning");
  ASSERT_EQ(run["tool"]["driver"]["rules"].size(), 2u);
  EXPECT_EQ(run["tool"]["driver"]["rules"][1]["id"], "leak");
  EXPECT_EQ(run["results"][2]["ruleIndex"], 1);
}

TEST(Sarif, CompilerErrorsAreResults) {
  Grade grade = with_findings({});
  grade.stages[0].build = {Outcome::build_failed, text_reason("refused"),
                           "new-forward.cu(5): error: expected a \";\"\n", 1};
  const auto run = sarif(grade)["runs"][0];
  ASSERT_EQ(run["results"].size(), 1u);
  EXPECT_EQ(run["results"][0]["ruleId"], "build_failed");
}

TEST(Sarif, AFileThatWasNotTakenIsNoPlace) {
  const auto run = sarif(with_findings({{"data_race", "k", "/etc/passwd", 1, "x"}}))["runs"][0];
  EXPECT_TRUE(run["results"].empty());
  const auto& notes = run["invocations"][0]["toolExecutionNotifications"];
  ASSERT_GE(notes.size(), 2u);
  EXPECT_EQ(notes[0]["message"]["text"], "/etc/passwd:1: x");
}

TEST(Sarif, FingerprintsDifferAndStay) {
  const Grade grade = with_findings({{"data_race", "k", "new-forward.cu", 39, "x"},
                                     {"data_race", "k", "new-forward.cu", 40, "x"},
                                     {"data_race", "k", "new-forward.cu", 39, "x"}});
  std::vector<std::string> prints;
  const auto report = sarif(grade);
  for (const auto& result : report["runs"][0]["results"])
    prints.push_back(result["partialFingerprints"]["primaryLocationLineHash"]);
  ASSERT_EQ(prints.size(), 3u);
  EXPECT_NE(prints[0], prints[1]);
  EXPECT_EQ(prints[0].substr(0, 16), prints[2].substr(0, 16));
  EXPECT_EQ(prints[2].substr(16), ":2");
}

TEST(Sarif, AGraderFaultIsNoSuccess) {
  const auto run = sarif(test::grade_with(Outcome::grader_fault))["runs"][0];
  EXPECT_EQ(run["invocations"][0]["executionSuccessful"], false);
}

TEST(Sarif, KeepsToTheSchema) {
  test::SchemaValidator validator(sarif_schema());
  using Problems = std::vector<std::string>;
  for (const auto& words : kOutcomes) {
    EXPECT_EQ(validator.check(sarif(test::grade_with(words.outcome))), Problems{}) << words.id;
  }
  EXPECT_EQ(validator.check(sarif({})), Problems{});
  EXPECT_EQ(validator.check(sarif(with_findings({{"", "", "a b.cu", 0, ""}}))), Problems{});
  Grade many = with_findings({});
  many.stages[0].cases[0].findings.assign(6000, {"data_race", "k", "new-forward.cu", 39, "x"});
  EXPECT_EQ(validator.check(sarif(many)), Problems{});
  Grade full = test::full_grade();
  full.stages[0].files = {full.stages[0].cases[0].findings[0].file};
  const auto report = sarif(full, Audience::staff);
  EXPECT_EQ(report["runs"][0]["results"].size(), 1u);
  EXPECT_EQ(validator.check(report), Problems{});
  auto broken = report;
  broken["runs"][0]["results"][0]["message"]["text"] = "";
  EXPECT_EQ(validator.check(broken).size(), 1u);
}

}  // namespace
}  // namespace opgrade::report
