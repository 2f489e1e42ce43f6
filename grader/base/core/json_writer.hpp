/// Writes records as JSON, by their fields.
///
/// The functions of a visitor that writes, reads or documents JSON:
///     operator()(key, value, text)        A field.
///     added(key, value, text)             Always written; files of earlier versions may lack it.
///     rare(key, value, text)              Written only if it differs from its default.
///     derived(key, value, text)           Computed for other programs; not read back.
///     constant(key, value, text)          The same text in every file.
///     version(key, value, text)           A constant that files of earlier versions may lack.
///     rest(coordinates)                   Fields that the task names.
///     object(key, written, text, visit)   An object without a struct; absent unless written.
///     alternatives(key, variant, text)    The `id` of a variant's alternative, and its fields.
///     record(name, text)                  The record's name in the schema, before all fields.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/fields.hpp"

namespace opgrade {

/// Visits the fields of one record into one object.
class JsonWriter {
 public:
  void record(const char*, const char*) {}

  template <class T>
  void operator()(const char* key, const T& value, const char*) {
    out[key] = json(value);
  }

  template <class T>
  void added(const char* key, const T& value, const char*) {
    out[key] = json(value);
  }

  template <class T>
  void derived(const char* key, const T& value, const char*) {
    out[key] = json(value);
  }

  template <class T>
  void rare(const char* key, const T& value, const char*) {
    if (!(value == T{})) out[key] = json(value);
  }

  template <class T>
  void rare(const char* key, const std::optional<T>& value, const char*) {
    if (value) out[key] = json(*value);
  }

  void constant(const char* key, const char* value, const char*) { out[key] = value; }

  void version(const char* key, const char* value, const char* text) { constant(key, value, text); }

  void rest(const Coordinates& coordinates) {
    for (const auto& [name, value] : coordinates) out[name] = value;
  }

  void object(const char* key, bool written, const char*, auto visit) {
    JsonWriter inner;
    visit(inner);
    if (written) out[key] = std::move(inner.out);
  }

  template <class... Types>
  void alternatives(const char* key, const std::variant<Types...>& value, const char*) {
    std::visit(
        [&](const auto& one) {
          out[key] = std::string(one.id);
          fields(*this, one);
        },
        value);
  }

  nlohmann::ordered_json out = nlohmann::ordered_json::object();

 private:
  using Json = nlohmann::ordered_json;

  template <class T>
  static Json json(const T& value) {
    if constexpr (requires { enum_names(value); }) {
      return std::string(enum_names(value).names[static_cast<std::size_t>(value)]);
    } else if constexpr (requires(JsonWriter & writer) { fields(writer, value); }) {
      JsonWriter inner;
      fields(inner, value);
      return std::move(inner.out);
    } else {
      return value;
    }
  }

  static Json json(double value) {
    if (std::isnan(value)) return "NaN";
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
  }

  /// Stored as text, because a 64-bit number loses digits in JavaScript.
  static Json json(std::uint64_t value) { return std::to_string(value); }

  static Json json(const std::filesystem::path& value) { return value.string(); }

  static Json json(std::chrono::nanoseconds value) { return value.count(); }

  static Json json(const Coordinates& coordinates) {
    JsonWriter inner;
    inner.rest(coordinates);
    return std::move(inner.out);
  }

  template <class T>
  static Json json(const std::optional<T>& value) {
    return value ? json(*value) : Json(nullptr);
  }

  template <class T>
  static Json json(const std::map<std::string, T>& items) {
    Json object = Json::object();
    for (const auto& [name, item] : items) object[name] = json(item);
    return object;
  }

  template <class T>
  static Json json(const std::vector<T>& items) {
    Json list = Json::array();
    for (const auto& item : items) list.push_back(json(item));
    return list;
  }
};

template <class Record>
nlohmann::ordered_json json_of(const Record& record) {
  JsonWriter writer;
  fields(writer, record);
  return std::move(writer.out);
}

}  // namespace opgrade
