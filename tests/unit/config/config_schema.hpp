/// Writes config.schema.json from the description of the keys.
#pragma once

#include <nlohmann/json.hpp>

#include "grader/config/fields.hpp"
#include "grader/tasks/registry.hpp"
#include "tests/support/schema_text.hpp"

namespace opgrade {

/// Visits the fields of one record into one rule. Only an entry of a list needs keys: a mapping
/// may have them from the config that it extends.
class ConfigSchema {
 public:
  using Json = nlohmann::ordered_json;

  Json rule = {{"type", "object"},
               {"additionalProperties", false},
               {"required", Json::array()},
               {"properties", Json::object()}};

  template <class T>
  void operator()(const char* key, const T& value, const Doc& doc, Range range = {}) {
    add(key, rule_of(value, range), doc);
    if (key == std::string_view("interface"))
      for (const auto& interface : interfaces())
        rule["properties"][key]["enum"].push_back(std::string(interface.id));
  }

  template <class T, class... Limits>
  void required(const char* key, const T& value, const Doc& doc, Limits... limits) {
    (*this)(key, value, doc, limits...);
    if (!in_choice_) rule["required"].push_back(key);
  }

  void rare(bool, const char* key, const auto& value, const Doc& doc) { (*this)(key, value, doc); }

  void word(const char* key, const std::string&, std::span<const std::string_view> names,
            const Doc& doc) {
    add(key, words(names), doc);
  }

  void merged(const char* key, const Doc& doc) { add(key, {{"type", "string"}}, doc); }

  void time_ms(const char* key, double, const Doc& doc) {
    add(key, text(kTime), doc);
    rule["required"].push_back(key);
  }

  void object(bool, const char* key, const Doc& doc, auto visit) {
    ConfigSchema inner;
    visit(inner);
    inner.rule.erase("required");
    add(key, inner.rule, doc);
  }

  void choice(const auto&, const char*, bool, auto first, auto second) {
    in_choice_ = true;
    first(*this);
    second(*this);
    in_choice_ = false;
  }

 private:
  static constexpr const char* kTime = "[0-9.]+ ?(us|ms|s|min)";

  void add(const char* key, Json field, const Doc& doc) {
    field["description"] = doc.text;
    rule["properties"][key] = std::move(field);
  }

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

  template <class T>
  static Json rule_of(const T& value, Range range) {
    if constexpr (requires(ConfigSchema & io) { fields(io, value); }) {
      Json rule = entry(value);
      rule.erase("required");
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
    } else if constexpr (std::is_same_v<T, TimeBound>) {
      return text(std::string(kTime) + "|[0-9.]+ x reference");
    } else {
      static_assert(std::is_same_v<T, std::string>);
      return {{"type", "string"}};
    }
  }

  static Json rule_of(const Coordinates&, Range) {
    Json sizes = Json::object();
    for (const Task* task : tasks())
      for (const auto& size : task->size_names())
        sizes[std::string(size.name)] = number("integer", {1, kMaxSize});
    return {{"type", "object"}, {"additionalProperties", false}, {"properties", std::move(sizes)}};
  }

  template <class T>
  static Json rule_of(const std::optional<T>&, Range range) {
    return rule_of(T{}, range);
  }

  template <class T>
  static Json rule_of(const std::vector<T>&, Range range) {
    Json item;
    if constexpr (requires(ConfigSchema & io, T & record) { fields(io, record); }) {
      item = entry(T{});
    } else {
      item = rule_of(T{}, range);
    }
    return {{"type", "array"}, {"items", std::move(item)}};
  }

  static Json rule_of(const std::map<std::string, ModelConfig>&, Range range) {
    return {{"type", "object"}, {"additionalProperties", rule_of(ModelConfig{}, range)}};
  }

  template <class Record>
  static Json entry(const Record& record) {
    ConfigSchema inner;
    fields(inner, record);
    if (std::is_same_v<Record, StageConfig>) inner.rule["required"] = {"name"};
    return inner.rule;
  }

  bool in_choice_ = false;
};

inline std::string config_schema_text() {
  ConfigSchema writer;
  const Config config;
  fields(writer, config);
  nlohmann::ordered_json schema = {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"$id", "opgrade-config-1"},
      {"title", "A grading config of opgrade, version 1"},
      {"description",
       "For completion in editors; `opgrade check-config FILE` reports every problem. "
       "configs/README.md explains the keys."}};
  writer.rule.erase("required");
  schema.update(writer.rule);
  return test::schema_text(schema);
}

}  // namespace opgrade
