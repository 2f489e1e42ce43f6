// Holds reports to the published report.schema.json.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "grader/report/fields/json.hpp"
#include "grader/report/fields/profile_fields.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/json_schema.hpp"
#include "tests/support/record_schema.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

using nlohmann::json;
using Validator = test::SchemaValidator;

const std::filesystem::path kSchemaFile =
    OPGRADE_SOURCE_DIR "/grader/report/fields/report.schema.json";

json schema() { return json::parse(test::read_text(kSchemaFile)); }

void collect(const json& rule, const std::string& path, std::set<std::string>& fields) {
  for (const auto& option : rule.value("anyOf", json::array())) collect(option, path, fields);
  if (!rule.contains("properties")) return;
  // None, or those of a type: a task names its sizes.
  EXPECT_TRUE(rule.contains("additionalProperties") && rule["additionalProperties"] != true)
      << path;
  for (const auto& [key, item] : rule["properties"].items()) {
    fields.insert(path + "/" + key);
    EXPECT_TRUE(item.contains("description")) << path << "/" << key << " is not documented";
    collect(item, path + "/" + key, fields);
  }
}

TEST(Schema, TheValidatorFindsWhatIsWrong) {
  const json good = json::parse(json_report(test::full_grade(), Audience::staff));
  Validator validator(schema());
  ASSERT_EQ(validator.check(good), std::vector<std::string>{});
  const auto broken = [&](auto change) {
    json report = good;
    change(report);
    return validator.check(report).size();
  };
  EXPECT_EQ(broken([](json& r) { r.erase("points"); }), 1u);
  EXPECT_EQ(broken([](json& r) { r["extra"] = 1; }), 1u);
  EXPECT_EQ(broken([](json& r) { r["points"] = "1"; }), 1u);
  EXPECT_EQ(broken([](json& r) { r["outcome"] = "fine"; }), 1u);
  EXPECT_EQ(broken([](json& r) { r["stages"][0]["cases"][0]["batch"] = 1.5; }), 1u);
  EXPECT_EQ(broken([](json& r) { r["stages"][0]["cases"][0]["accuracy"] = true; }), 1u);
}

TEST(Schema, HoldsForEveryOutcomeAndAudience) {
  Validator validator(schema());
  for (const auto& words : kOutcomes) {
    for (const auto audience : {Audience::student, Audience::staff}) {
      Grade grade = test::grade_with(words.outcome);
      grade.stages[0].build.outcome = words.outcome;
      grade.stages[0].cases.push_back(grade.stages[0].cases[0]);
      grade.stages[0].cases[1].hidden = true;
      const json report = json::parse(json_report(grade, audience));
      EXPECT_EQ(validator.check(report), std::vector<std::string>{}) << words.id;
    }
  }
  EXPECT_EQ(validator.check(json::parse(json_report({}, Audience::staff))),
            std::vector<std::string>{});
}

TEST(Schema, ListsEveryFieldAndNoOther) {
  Validator validator(schema());
  Grade full = test::full_grade();
  full.stages[0].cases[0].advice = full.by_author = true;
  full.stages[0].cases[0].visibility = Visibility::name;
  full.notes = test::full_notes();
  full.notes.push_back(notes::FindingsNotSought{{text_reason("a sentence", "a hint")}});
  StageReport& stage = full.stages[0];
  full.late_points = stage.cases[0].points[0].late_points = 1;
  ProfileReport& profile = *stage.cases[0].profile;
  profile.miscounted = test::full_reason<why::Crashed>();
  profile.counts[0].accesses[0].exchanged = 1;
  profile.counts[0].accesses[0].useless = true;
  for (const Reason& reason : test::full_reasons()) {
    full.reason = stage.build.reason = stage.cases[0].reason = reason;
    stage.cases[0].points[0].reason = stage.cases[0].broken_rule->reason = reason;
    ASSERT_EQ(validator.check(json::parse(json_report(full, Audience::staff))),
              std::vector<std::string>{});
  }
  const json rules = schema();
  std::set<std::string> documented;
  collect(rules, "#", documented);
  for (const auto& [name, rule] : rules["definitions"].items()) collect(rule, name, documented);
  EXPECT_EQ(validator.used, documented);
}

TEST(Schema, IsThatOfTheFields) {
  test::expect_golden(kSchemaFile, test::record_schema<JsonReport>(kJsonSchema));
}

}  // namespace
}  // namespace opgrade::report
