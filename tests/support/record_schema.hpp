/// Writes the JSON Schema of a record from the description of its fields.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/fields.hpp"
#include "tests/support/schema_text.hpp"

namespace opgrade::test {

using Json = nlohmann::ordered_json;

inline Json reference(const std::string& name) { return {{"$ref", "#/definitions/" + name}}; }

/// Visits the fields of one empty record into one rule.
class RecordSchema {
 public:
  RecordSchema(Json& definitions, std::set<std::string>& begun)
      : definitions_(definitions), begun_(begun) {}

  void record(const char* record_name, const char* text) {
    name = record_name;
    rule["description"] = text;
    nested_ = !begun_.insert(name).second;
  }

  template <class T>
  void operator()(const char* key, const T& value, const char* text) {
    add(key, rule_of(value), text, true);
  }

  template <class T>
  void added(const char* key, const T& value, const char* text) {
    add(key, rule_of(value), text, false);
  }

  template <class T>
  void rare(const char* key, const T& value, const char* text) {
    add(key, rule_of(value), text, false);
  }

  template <class T>
  void rare(const char* key, const std::optional<T>&, const char* text) {
    add(key, rule_of(T{}), text, false);
  }

  template <class T>
  void derived(const char* key, const T& value, const char* text) {
    add(key, rule_of(value), text, true);
  }

  void constant(const char* key, const char* value, const char* text) {
    add(key, {{"type", "string"}, {"enum", Json::array({value})}}, text, true);
  }

  void version(const char* key, const char* value, const char* text) {
    add(key, {{"type", "string"}, {"enum", Json::array({value})}}, text, false);
  }

  void rest(const Coordinates&) { rule["additionalProperties"] = {{"type", "integer"}}; }

  void object(const char* key, bool written, const char* text, auto visit) {
    RecordSchema inner(definitions_, begun_);
    visit(inner);
    add(key, inner.rule, text, written);
  }

  template <class... Types>
  void alternatives(const char* key, const std::variant<Types...>&, const char* text) {
    add(key, {{"type", "string"}, {"enum", Json::array({std::string(Types::id)...})}}, text, true);
    const auto add_fields = [&](const auto& one) { fields(*this, one); };
    (add_fields(Types{}), ...);
  }

  Json rule = {{"description", ""},
               {"type", "object"},
               {"additionalProperties", false},
               {"required", Json::array()},
               {"properties", Json::object()}};
  std::string name;

 private:
  void add(const char* key, Json field, const char* text, bool required) {
    field["description"] = text;
    rule["properties"][key] = std::move(field);
    if (required) rule["required"].push_back(key);
  }

  template <class T>
  Json rule_of(const T& value) {
    if (nested_) return {};
    if constexpr (requires { enum_names(value); }) {
      Json names = Json::array();
      for (const auto word : enum_names(value).names) names.push_back(std::string(word));
      return {{"type", "string"}, {"enum", std::move(names)}};
    } else if constexpr (requires { fields(*this, value); }) {
      RecordSchema inner(definitions_, begun_);
      fields(inner, value);
      if (!inner.nested_) {
        definitions_[inner.name] = std::move(inner.rule);
        begun_.erase(inner.name);
      }
      return reference(inner.name);
    } else if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_same_v<T, double>) {
      return reference("number");
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::uint64_t> ||
                         std::is_same_v<T, std::filesystem::path>) {
      return {{"type", "string"}};
    } else if constexpr (std::is_array_v<T>) {
      return {{"type", "array"}, {"items", {{"type", "integer"}}}};
    } else {
      static_assert(std::is_integral_v<T> || std::is_same_v<T, std::chrono::nanoseconds>);
      return {{"type", "integer"}};
    }
  }

  Json rule_of(const Coordinates&) {
    return {{"type", "object"}, {"additionalProperties", {{"type", "integer"}}}};
  }

  template <class T>
  Json rule_of(const std::optional<T>&) {
    return {{"anyOf", Json::array({rule_of(T{}), Json{{"type", "null"}}})}};
  }

  template <class T>
  Json rule_of(const std::map<std::string, T>&) {
    return {{"type", "object"}, {"additionalProperties", rule_of(T{})}};
  }

  template <class T>
  Json rule_of(const std::vector<T>&) {
    return {{"type", "array"}, {"items", rule_of(T{})}};
  }

  Json& definitions_;
  std::set<std::string>& begun_;  ///< records whose rule is not complete
  bool nested_ = false;           ///< in a record of its own kind, which writes the rule
};

/// `id`: the text that the record's version has.
template <class Record>
std::string record_schema(const char* id) {
  const Json texts = {{"type", "string"}, {"enum", {"NaN", "Infinity", "-Infinity"}}};
  Json definitions = {
      {"number",
       {{"description", "A number; one that is not finite, which JSON cannot hold, is a text."},
        {"anyOf", Json::array({Json{{"type", "number"}}, texts})}}}};
  std::set<std::string> begun;
  RecordSchema writer(definitions, begun);
  const Record record{};
  fields(writer, record);
  Json schema = {
      {"$schema", "http://json-schema.org/draft-07/schema#"}, {"$id", id}, {"title", writer.name}};
  schema.update(writer.rule);
  const std::string all = schema.dump() + definitions.dump();
  if (all.find("#/definitions/number") == all.npos) definitions.erase("number");
  if (!definitions.empty()) schema["definitions"] = std::move(definitions);
  return schema_text(schema);
}

}  // namespace opgrade::test
