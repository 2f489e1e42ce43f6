/// Checks JSON against a schema with the few keywords of draft-07 that the tests' schemas use.
#pragma once

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace opgrade::test {

inline bool has_type(const nlohmann::json& value, const std::string& type) {
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
class SchemaValidator {
 public:
  explicit SchemaValidator(nlohmann::json root) : root_(std::move(root)) {}

  std::vector<std::string> check(const nlohmann::json& value) {
    errors_.clear();
    visit(value, root_, "#");
    return errors_;
  }
  std::set<std::string> used;

 private:
  void visit(const nlohmann::json& value, const nlohmann::json& rule, const std::string& path) {
    static const std::set<std::string> known{
        "$schema", "$id",     "$ref",    "title",     "description", "definitions",
        "type",    "enum",    "anyOf",   "required",  "properties",  "additionalProperties",
        "items",   "minimum", "maximum", "minLength", "maxItems",    "pattern"};
    for (const auto& [key, unused] : rule.items()) {
      if (known.count(key) == 0) throw std::runtime_error("the validator does not know " + key);
    }
    if (rule.contains("$ref")) {
      const std::string name = rule["$ref"].get<std::string>().substr(14);  // "#/definitions/"
      return visit(value, root_.at("definitions").at(name), name);
    }
    if (rule.contains("anyOf")) {
      const auto outer = std::exchange(errors_, {});
      for (const auto& option : rule["anyOf"]) {
        errors_.clear();
        visit(value, option, path);
        if (errors_.empty()) break;
      }
      const bool fits = errors_.empty();
      errors_ = outer;
      if (fits) return;
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
    if (rule.contains("maximum") && value > rule["maximum"])
      errors_.push_back(path + ": too large");
    if (rule.contains("minLength") &&
        value.get_ref<const std::string&>().size() < rule["minLength"].get<std::size_t>())
      errors_.push_back(path + ": too short");
    if (rule.contains("maxItems") && value.size() > rule["maxItems"].get<std::size_t>())
      errors_.push_back(path + ": too many items");
    if (rule.contains("pattern") &&
        !std::regex_search(value.get_ref<const std::string&>(),
                           std::regex(rule["pattern"].get<std::string>())))
      errors_.push_back(path + ": " + value.dump() + " does not fit the pattern");
    if (rule.contains("required")) {
      for (const std::string key : rule["required"]) {
        if (!value.contains(key)) errors_.push_back(path + "/" + key + ": missing");
      }
    }
    const auto other = rule.find("additionalProperties");
    if (value.is_object() && (other == rule.end() || *other != true)) {
      for (const auto& [key, item] : value.items()) {
        if (rule.contains("properties") && rule["properties"].contains(key)) {
          used.insert(path + "/" + key);
          visit(item, rule["properties"][key], path + "/" + key);
        } else if (other != rule.end() && other->is_object()) {
          visit(item, *other, path + "/*");
        } else {
          errors_.push_back(path + "/" + key + ": not in the schema");
        }
      }
    }
    if (value.is_array()) {
      for (const auto& item : value) visit(item, rule.at("items"), path + "[]");
    }
  }

  nlohmann::json root_;
  std::vector<std::string> errors_;
};

}  // namespace opgrade::test
