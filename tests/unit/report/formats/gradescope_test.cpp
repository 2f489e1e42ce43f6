#include "grader/report/formats/gradescope.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/json_schema.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

nlohmann::json results(const Grade& grade) {
  return nlohmann::json::parse(gradescope_results(grade, Audience::student));
}

TEST(Gradescope, ScoresAreTheGrades) {
  Grade grade = test::passed_grade();
  grade.stages[0].points = {{"Op Time", 1.5, 3, text_reason("slow"), false}};
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
  grade.stages[0].build = {Outcome::build_failed, text_reason("refused"), "x.cc:1:1: error: no", 1};
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

TEST(Gradescope, StaffSeeHiddenCasesMarkedHidden) {
  Grade grade = test::grade_with(Outcome::wrong_output);
  grade.stages[0].cases.push_back(grade.stages[0].cases[0]);
  grade.stages[0].cases[1].id = "cpu/secret/7";
  grade.stages[0].cases[1].reason = text_reason("a secret reason");
  grade.stages[0].cases[1].hidden = true;
  grade.stages[0].points = {{"Op Time", 1, 1, text_reason("fast"), false},
                            {"Op Time of cpu/secret/7", 1, 1, text_reason("fast"), false}};
  const auto r = nlohmann::json::parse(gradescope_results(grade, Audience::staff));
  EXPECT_EQ(r["tests"][2]["visibility"], "visible");
  EXPECT_EQ(r["tests"][3]["visibility"], "hidden") << "its name tells of the hidden case";
  EXPECT_EQ(r["tests"][0]["visibility"], "visible");
  EXPECT_EQ(r["tests"][1]["visibility"], "hidden");
  EXPECT_EQ(r["tests"][1]["name"], "cpu/secret/7");
  EXPECT_EQ(r["output"].get<std::string>().find("secret"), std::string::npos)
      << "students read the output, whoever asked for it";
}

TEST(Gradescope, ALateSubmissionKeepsItsShare) {
  GradescopeContext context;
  context.metadata = R"({"created_at": "2026-11-22T00:00:01Z",
                         "assignment": {"due_date": "2026-11-21T00:00:00Z"}})";
  context.late = {.grace_minutes = 0, .percent_per_day = 10, .days = 3};
  const auto r =
      nlohmann::json::parse(gradescope_results(test::passed_grade(), Audience::student, context));
  EXPECT_DOUBLE_EQ(r["score"], 4);
  EXPECT_EQ(r["tests"][0]["score"], 5) << "what the tests gave";
  EXPECT_EQ(r["extra_data"]["late_days"], 2);
  EXPECT_EQ(r["extra_data"]["points"], 5);
  EXPECT_EQ(r["output"].get<std::string>().find("Late by 2 days: 80 % of 5 points count.\n"), 0u);
}

TEST(Gradescope, TheLeaderboardHasTheOpTimeOfARightStage) {
  const GradescopeContext context{{}, {}, "cpu/high/1000"};
  const auto board = [&](const Grade& grade) {
    return nlohmann::json::parse(gradescope_results(grade, Audience::student, context))
        .value("leaderboard", nlohmann::json());
  };
  const auto entry = board(test::passed_grade());
  ASSERT_EQ(entry.size(), 1u);
  EXPECT_EQ(entry[0]["name"], "Op Time [ms]");
  EXPECT_EQ(entry[0]["value"], 42);
  EXPECT_EQ(entry[0]["order"], "asc");
  EXPECT_TRUE(board(test::grade_with(Outcome::wrong_output)).is_null());
  Grade emulated = test::passed_grade();
  emulated.stages[0].device = Device::emulated;
  EXPECT_TRUE(board(emulated).is_null());
  EXPECT_FALSE(results(test::passed_grade()).contains("leaderboard"));
  Grade hidden = test::passed_grade();
  hidden.stages[0].cases[0].hidden = true;
  const auto staff = nlohmann::json::parse(gradescope_results(hidden, Audience::staff, context));
  EXPECT_FALSE(staff.contains("leaderboard")) << "students read the leaderboard";
}

TEST(Gradescope, KeepsToTheSchema) {
  test::SchemaValidator validator(nlohmann::json::parse(R"({
    "definitions": {
      "visibility": {"enum": ["hidden", "after_due_date", "after_published", "visible"]},
      "format": {"enum": ["text", "html", "simple_format", "md", "ansi"]}
    },
    "type": "object", "properties": {
      "score": {"type": "number"}, "execution_time": {"type": "integer", "minimum": 0},
      "output": {"type": "string"}, "output_format": {"$ref": "#/definitions/format"},
      "test_output_format": {"$ref": "#/definitions/format"},
      "visibility": {"$ref": "#/definitions/visibility"},
      "stdout_visibility": {"$ref": "#/definitions/visibility"},
      "extra_data": {"type": "object", "additionalProperties": true},
      "leaderboard": {"type": "array", "items": {
        "type": "object", "required": ["name", "value"], "properties": {
          "name": {"type": "string"}, "value": {"type": "number"},
          "order": {"enum": ["asc", "desc"]}}}},
      "tests": {"type": "array", "items": {"type": "object", "properties": {
        "score": {"type": "number"}, "max_score": {"type": "number"},
        "status": {"enum": ["passed", "failed"]}, "name": {"type": "string"},
        "name_format": {"$ref": "#/definitions/format"}, "output": {"type": "string"},
        "visibility": {"$ref": "#/definitions/visibility"}}}}}})"));
  using Problems = std::vector<std::string>;
  for (const auto& words : kOutcomes) {
    EXPECT_EQ(validator.check(results(test::grade_with(words.outcome))), Problems{}) << words.id;
  }
  const GradescopeContext context{R"({"created_at": "2026-11-22T00:00:01Z"})", {}, "cpu/high/1000"};
  EXPECT_EQ(validator.check(nlohmann::json::parse(
                gradescope_results(test::passed_grade(), Audience::staff, context))),
            Problems{});
  EXPECT_EQ(validator.check(results(test::full_grade())), Problems{});
}

}  // namespace
}  // namespace opgrade::report
