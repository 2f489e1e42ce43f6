// Holds reports to the published report.schema.json, with the few keywords of draft-07 it uses.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "grader/report/json.hpp"
#include "tests/support/golden.hpp"
#include "tests/support/sample_grade.hpp"

namespace opgrade::report {
namespace {

using nlohmann::json;

json schema() {
  return json::parse(test::read_text(std::filesystem::path(OPGRADE_SOURCE_DIR) /
                                     "grader/report/report.schema.json"));
}

bool has_type(const json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  throw std::runtime_error("the validator does not know type " + type);
}

/// Every way in which `value` breaks `rule`; notes in `used` the fields of the schema it met.
class Validator {
 public:
  explicit Validator(json root) : root_(std::move(root)) {}

  std::vector<std::string> check(const json& value) {
    errors_.clear();
    visit(value, root_, "#");
    return errors_;
  }
  std::set<std::string> used;

 private:
  void visit(const json& value, const json& rule, const std::string& path) {
    static const std::set<std::string> known{
        "$schema", "$id",    "$ref",  "title",    "description", "definitions",
        "type",    "enum",   "anyOf", "required", "properties",  "additionalProperties",
        "items",   "minimum"};
    for (const auto& [key, unused] : rule.items()) {
      if (known.count(key) == 0) throw std::runtime_error("the validator does not know " + key);
    }
    if (rule.contains("$ref")) {
      const std::string name = rule["$ref"].get<std::string>().substr(14);  // "#/definitions/"
      return visit(value, root_.at("definitions").at(name), name);
    }
    if (rule.contains("anyOf")) {
      for (const auto& option : rule["anyOf"]) {
        Validator inner(option);
        inner.root_["definitions"] = root_["definitions"];
        if (inner.check(value).empty()) {
          for (const auto& field : inner.used)
            used.insert(field.starts_with("#") ? path + field.substr(1) : field);
          return;
        }
      }
      errors_.push_back(path + ": no option fits " + value.dump());
    }
    if (rule.contains("type") && !has_type(value, rule["type"])) {
      errors_.push_back(path + ": not of type " + rule["type"].get<std::string>());
      return;
    }
    if (rule.contains("enum") &&
        std::find(rule["enum"].begin(), rule["enum"].end(), value) == rule["enum"].end()) {
      errors_.push_back(path + ": " + value.dump() + " is none of the values");
    }
    if (rule.contains("minimum") && value < rule["minimum"])
      errors_.push_back(path + ": too small");
    if (rule.contains("required")) {
      for (const std::string key : rule["required"]) {
        if (!value.contains(key)) errors_.push_back(path + "/" + key + ": missing");
      }
    }
    if (value.is_object()) {
      for (const auto& [key, item] : value.items()) {
        if (!rule.at("properties").contains(key)) {
          errors_.push_back(path + "/" + key + ": not in the schema");
          continue;
        }
        used.insert(path + "/" + key);
        visit(item, rule["properties"][key], path + "/" + key);
      }
    }
    if (value.is_array()) {
      for (const auto& item : value) visit(item, rule.at("items"), path + "[]");
    }
  }

  json root_;
  std::vector<std::string> errors_;
};

void collect(const json& rule, const std::string& path, std::set<std::string>& fields) {
  for (const auto& option : rule.value("anyOf", json::array())) collect(option, path, fields);
  if (!rule.contains("properties")) return;
  EXPECT_EQ(rule.value("additionalProperties", true), false) << path;
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
  full.stages[0].cases[0].advice = true;
  ASSERT_EQ(validator.check(json::parse(json_report(full, Audience::staff))),
            std::vector<std::string>{});
  const json rules = schema();
  std::set<std::string> documented;
  collect(rules, "#", documented);
  for (const auto& [name, rule] : rules["definitions"].items()) collect(rule, name, documented);
  EXPECT_EQ(validator.used, documented);
}

TEST(Schema, ListsEveryOutcomeAndDevice) {
  const json rules = schema();
  std::vector<std::string> outcomes, devices;
  for (const auto& words : kOutcomes) outcomes.emplace_back(words.id);
  for (const auto name : kDeviceNames) devices.emplace_back(name);
  EXPECT_EQ(rules["definitions"]["outcome"]["enum"].get<std::vector<std::string>>(), outcomes);
  EXPECT_EQ(rules["definitions"]["stage"]["properties"]["device"]["enum"], json(devices));
}

}  // namespace
}  // namespace opgrade::report
