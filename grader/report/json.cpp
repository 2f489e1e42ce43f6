#include "grader/report/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "grader/report/profile_fields.hpp"

namespace opgrade::report {
namespace {

using Json = nlohmann::ordered_json;

/// Visits the fields of one record into one object.
class RecordWriter {
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

  void rest(const Coordinates& coordinates) {
    for (const auto& [name, value] : coordinates) out[name] = value;
  }

  void object(const char* key, bool written, const char*, auto visit) {
    RecordWriter inner;
    visit(inner);
    if (written) out[key] = std::move(inner.out);
  }

  Json out = Json::object();

 private:
  template <class T>
  static Json json(const T& value) {
    if constexpr (requires { enum_names(value); }) {
      return std::string(enum_names(value).names[static_cast<std::size_t>(value)]);
    } else if constexpr (requires(RecordWriter & writer) { fields(writer, value); }) {
      RecordWriter inner;
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

  /// As text: a number of 64 bits loses some of them in JavaScript.
  static Json json(std::uint64_t value) { return std::to_string(value); }

  static Json json(std::chrono::nanoseconds value) { return value.count(); }

  static Json json(const Coordinates& coordinates) {
    RecordWriter inner;
    inner.rest(coordinates);
    return std::move(inner.out);
  }

  template <class T>
  static Json json(const std::optional<T>& value) {
    return value ? json(*value) : Json(nullptr);
  }

  template <class T>
  static Json json(const std::vector<T>& items) {
    Json list = Json::array();
    for (const auto& item : items) list.push_back(json(item));
    return list;
  }
};

}  // namespace

std::string json_report(const Grade& grade, Audience audience) {
  const JsonReport report{audience, view_for(grade, audience)};
  RecordWriter writer;
  fields(writer, report);
  // The view is valid UTF-8; should a text ever not be, a report with a replacement character is
  // better than none.
  return writer.out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace opgrade::report
