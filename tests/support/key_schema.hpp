/// Writes the JSON Schema of a YAML file from the description of its keys.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grader/base/core/fields.hpp"
#include "tests/support/schema_text.hpp"

namespace opgrade::test {

/// Visits the fields of one record into one rule. Where files extend others, only an entry of a
/// list needs keys. A module's own types have a rule_of(value).
template <bool extends = false>
class KeySchema {
 public:
  using Json = nlohmann::ordered_json;

  Json rule = {{"type", "object"},
               {"additionalProperties", false},
               {"required", Json::array()},
               {"properties", Json::object()}};

  template <class T>
  void operator()(const char* key, const T& value, const Doc& doc, Range range = {}) {
    add(key, rule_for(value, range), doc);
  }

  template <class T, class... Limits>
  void required(const char* key, const T& value, const Doc& doc, Limits... limits) {
    (*this)(key, value, doc, limits...);
    if (!in_choice_) rule["required"].push_back(key);
  }

  template <class... Limits>
  void rare(bool, const char* key, const auto& value, const Doc& doc, Limits... limits) {
    (*this)(key, value, doc, limits...);
  }

  void word(const char* key, const std::string&, std::span<const std::string_view> names,
            const Doc& doc) {
    add(key, words(names), doc);
  }

  void word(const char* key, bool, std::span<const std::string_view> names, const Doc& doc) {
    word(key, std::string(), names, doc);
  }

  void name(const char* key, const std::string&, const char* pattern, const Doc& doc) {
    add(key, text(pattern), doc);
    rule["required"].push_back(key);
  }

  void required_word(const char* key, bool value, std::span<const std::string_view> names,
                     const Doc& doc) {
    word(key, value, names, doc);
    rule["required"].push_back(key);
  }

  template <class Record>
  void named(const char* key, const std::vector<Record>&, const Doc& doc) {
    add(key, {{"type", "object"}, {"additionalProperties", rule_for(Record{}, {})}}, doc);
    rule["required"].push_back(key);
  }

  void texts(const char* key, const std::vector<std::string>& value, const Doc& doc) {
    add(key, {{"anyOf", Json::array({rule_for(std::string(), {}), rule_for(value, {})})}}, doc);
  }

  template <class Record>
  void short_form(const char* key, const Record& value, const std::string&, const Doc& doc) {
    add(key, {{"anyOf", Json::array({rule_for(std::string(), {}), rule_for(value, {})})}}, doc);
  }

  /// A text that `form` describes, or a number as one.
  void form(const char* key, const auto&, const auto& form, const Doc& doc) {
    Json any = *form.pattern == '\0' ? Json{{"type", "string"}} : text(form.pattern);
    if (form.number_from >= 0)
      any = {{"anyOf", Json::array({number("integer", {form.number_from}), std::move(any)})}};
    add(key, std::move(any), doc);
  }

  void required_form(const char* key, const auto& value, const auto& form, const Doc& doc) {
    this->form(key, value, form, doc);
    rule["required"].push_back(key);
  }

  void deadline(const char* key, const auto& value, const auto& form, const Doc& doc) {
    required_form(key, value, form, doc);
  }

  void opening(const char* key, const auto& value, const auto& form, const Doc& doc) {
    this->form(key, value, form, doc);
  }

  void deadlines(const char* key, const auto&, const auto& form, const Doc& doc) {
    add(key, {{"type", "object"}, {"additionalProperties", text(form.pattern)}}, doc);
  }

  void price(const char* key, const auto&, const auto&, const Doc& doc, Range range) {
    (*this)(key, double{}, doc, range);
  }

  void merged(const char* key, const auto& type, const Doc& doc) { (*this)(key, type, doc); }

  void time_ms(const char* key, double, const Doc& doc) {
    add(key, text(kTime), doc);
    rule["required"].push_back(key);
  }

  void object(bool, const char* key, const Doc& doc, auto visit) {
    KeySchema inner;
    visit(inner);
    if (extends) inner.rule.erase("required");
    add(key, inner.rule, doc);
  }

  void choice(const auto&, const char*, bool, auto first, auto second) {
    const bool inner = std::exchange(in_choice_, true);
    first(*this);
    second(*this);
    in_choice_ = inner;
  }

  template <class Record>
  static Json entry(const Record& record) {
    KeySchema inner;
    fields(inner, record);
    if constexpr (requires { required_of(record); }) inner.rule["required"] = required_of(record);
    if (!extends && inner.rule["required"].empty()) inner.rule.erase("required");
    return inner.rule;
  }

  static constexpr const char* kTime = "[0-9.]+ ?(us|ms|s|min)";

  static Json text(const std::string& pattern) {
    return {{"type", "string"}, {"pattern", "^(" + pattern + ")$"}};
  }

  static Json words(std::span<const std::string_view> names) {
    Json list = Json::array();
    for (const auto name : names) list.push_back(std::string(name));
    return {{"type", "string"}, {"enum", std::move(list)}};
  }

  static Json number(const char* type, Range range) {
    Json rule = {{"type", type}, {"minimum", range.minimum}};
    if (range.maximum < Range{}.maximum) rule["maximum"] = range.maximum;
    return rule;
  }

 private:
  void add(const char* key, Json field, const Doc& doc) {
    field["description"] = doc.text;
    rule["properties"][key] = std::move(field);
  }

  template <class T>
  static Json rule_for(const T& value, Range range) {
    if constexpr (requires { rule_of(value); }) {
      return rule_of(value);
    } else if constexpr (requires(KeySchema & io) { fields(io, value); }) {
      Json rule = entry(value);
      if (extends) rule.erase("required");
      return rule;
    } else if constexpr (std::is_enum_v<T>) {
      return words(enum_names(value).names);
    } else if constexpr (std::is_same_v<T, bool>) {
      return {{"type", "boolean"}};
    } else if constexpr (std::is_same_v<T, int>) {
      return number("integer", range);
    } else if constexpr (std::is_same_v<T, double>) {
      return number("number", range);
    } else if constexpr (std::is_same_v<T, std::chrono::milliseconds>) {
      return text(kTime);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      return text("[0-9.]+ ?(KiB|MiB|GiB)");
    } else {
      static_assert(std::is_same_v<T, std::string>);
      return {{"type", "string"}};
    }
  }

  template <class T>
  static Json rule_for(const std::optional<T>&, Range range) {
    return rule_for(T{}, range);
  }

  template <class T>
  static Json rule_for(const std::vector<T>& value, Range range) {
    if constexpr (requires { rule_of(value); }) {
      return rule_of(value);
    } else if constexpr (requires(KeySchema & io, const T& record) { fields(io, record); }) {
      return {{"type", "array"}, {"items", entry(T{})}};
    } else {
      return {{"type", "array"}, {"items", rule_for(T{}, range)}};
    }
  }

  bool in_choice_ = false;
};

/// `rule`: of the whole file.
inline std::string key_schema(const char* id, const char* title, const char* description,
                              const nlohmann::ordered_json& rule) {
  nlohmann::ordered_json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                                   {"$id", id},
                                   {"title", title},
                                   {"description", description}};
  schema.update(rule);
  return schema_text(schema);
}

}  // namespace opgrade::test
