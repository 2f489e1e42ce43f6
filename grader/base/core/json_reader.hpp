/// Reads records from JSON, by their fields: see json_writer.hpp. Unknown fields are ignored.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "grader/base/core/coordinates.hpp"
#include "grader/base/core/error.hpp"
#include "grader/base/core/fields.hpp"

namespace opgrade {
namespace json_reading {

using json = nlohmann::ordered_json;  // keeps the order of sizes

struct Mismatch {
  std::string path, why;
};

[[noreturn]] inline void fail(const std::string& path, const std::string& why) {
  throw Mismatch{path, why};
}

inline void read(const json& value, const std::string& path, std::string& out) {
  if (!value.is_string()) fail(path, "is not a text");
  out = value.get<std::string>();
}

inline void read(const json& value, const std::string& path, std::filesystem::path& out) {
  std::string text;
  read(value, path, text);
  out = text;
}

inline void read(const json& value, const std::string& path, bool& out) {
  if (!value.is_boolean()) fail(path, "is not true or false");
  out = value.get<bool>();
}

inline void read(const json& value, const std::string& path, double& out) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (value.is_number()) {
    out = value.get<double>();
  } else if (value == "NaN") {
    out = std::numeric_limits<double>::quiet_NaN();
  } else if (value == "Infinity") {
    out = kInfinity;
  } else if (value == "-Infinity") {
    out = -kInfinity;
  } else {
    fail(path, "is not a number");
  }
}

inline void read(const json& value, const std::string& path, std::int64_t& out) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer()) fail(path, "is not a whole number");
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kMax) fail(path, "is too large");
  out = value.get<std::int64_t>();
}

inline void read(const json& value, const std::string& path, int& out) {
  std::int64_t wide = 0;
  read(value, path, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
    fail(path, "is too large");
  out = static_cast<int>(wide);
}

/// Stored as text, because a 64-bit number loses digits in JavaScript.
inline void read(const json& value, const std::string& path, std::uint64_t& out) {
  std::string text;
  read(value, path, text);
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, out);
  if (error != std::errc() || end != last) fail(path, "is not a whole number as text");
}

inline void read(const json& value, const std::string& path, std::chrono::nanoseconds& out) {
  std::int64_t count = 0;
  read(value, path, count);
  out = std::chrono::nanoseconds(count);
}

inline void read(const json& value, const std::string& path, int (&out)[3]) {
  if (!value.is_array() || value.size() != 3) fail(path, "is not three numbers");
  for (std::size_t i = 0; i < 3; ++i) read(value[i], path, out[i]);
}

inline void read(const json& value, const std::string& path, Coordinates& out) {
  if (!value.is_object()) fail(path, "is not an object");
  for (const auto& [name, item] : value.items())
    read(item, path + "." + name, out.emplace_back(Coordinate{name}).value);
}

class JsonReader;
template <class Record>
requires requires(JsonReader& reader, Record& record) { fields(reader, record); }
void read(const json& value, const std::string& path, Record& out);
template <class T>
void read(const json& value, const std::string& path, std::optional<T>& out);
template <class T>
void read(const json& value, const std::string& path, std::vector<T>& out);
template <class T>
void read(const json& value, const std::string& path, std::map<std::string, T>& out);

template <class Enum>
requires std::is_enum_v<Enum>
void read(const json& value, const std::string& path, Enum& out) {
  std::string name;
  read(value, path, name);
  const EnumNames known = enum_names(out);
  const auto found = std::ranges::find(known.names, name);
  if (found == known.names.end()) fail(path, fmt::format("is not {}", known.what));
  out = static_cast<Enum>(found - known.names.begin());
}

/// Visits the fields of one record in one object.
class JsonReader {
 public:
  JsonReader(const json& object, std::string path) : object_(object), path_(std::move(path)) {
    if (!object_.is_object()) fail(path_, "is not an object");
  }

  void record(const char*, const char*) {}

  template <class T>
  void operator()(const char* key, T& value, const char*) {
    read(at(key), path_of(key), value);
  }

  template <class T>
  void added(const char* key, T& value, const char*) {
    seen_.push_back(key);
    if (object_.contains(key)) read(at(key), path_of(key), value);
  }

  template <class T>
  void rare(const char* key, T& value, const char* text) {
    added(key, value, text);
  }

  template <class T>
  void derived(const char* key, const T&, const char*) {
    seen_.push_back(key);
  }

  void constant(const char* key, const char* value, const char*) {
    if (at(key) != value) fail(path_of(key), fmt::format("is not \"{}\"", value));
  }

  void version(const char* key, const char* value, const char* text) {
    if (object_.contains(key)) constant(key, value, text);
  }

  void rest(Coordinates& coordinates) { rest_ = &coordinates; }

  /// If `written` is false, the object may be missing from a report.
  void object(const char* key, bool written, const char*, auto visit) {
    if (!written && !object_.contains(key)) return;
    JsonReader inner(at(key), path_of(key));
    visit(inner);
  }

  template <class... Types>
  void alternatives(const char* key, std::variant<Types...>& value, const char*) {
    std::string name;
    read(at(key), path_of(key), name);
    const auto take = [&]<class Type>(Type one) {
      if (name != Type::id) return false;
      fields(*this, one);
      value = std::move(one);
      return true;
    };
    if (!(take(Types{}) || ...)) fail(path_of(key), fmt::format("is no known {}", key));
  }

  /// Called after the visit, when the fields that the record names itself are known. All other
  /// fields are the task's.
  void finish() {
    if (rest_ == nullptr) return;
    for (const auto& [name, value] : object_.items())
      if (std::ranges::find(seen_, name) == seen_.end())
        read(value, path_of(name), rest_->emplace_back(Coordinate{name}).value);
  }

 private:
  std::string path_of(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
  }

  const json& at(const char* key) {
    seen_.push_back(key);
    const auto found = object_.find(key);
    if (found == object_.end()) fail(path_of(key), "is missing");
    return *found;
  }

  const json& object_;
  std::string path_;
  std::vector<std::string_view> seen_;
  Coordinates* rest_ = nullptr;
};

template <class Record>
requires requires(JsonReader& reader, Record& record) { fields(reader, record); }
void read(const json& value, const std::string& path, Record& out) {
  JsonReader reader(value, path);
  fields(reader, out);
  reader.finish();
}

template <class T>
void read(const json& value, const std::string& path, std::optional<T>& out) {
  out.reset();
  if (!value.is_null()) read(value, path, out.emplace());
}

template <class T>
void read(const json& value, const std::string& path, std::vector<T>& out) {
  if (!value.is_array()) fail(path, "is not a list");
  out.assign(value.size(), T{});
  for (std::size_t i = 0; i < out.size(); ++i)
    read(value[i], fmt::format("{}[{}]", path, i), out[i]);
}

template <class T>
void read(const json& value, const std::string& path, std::map<std::string, T>& out) {
  if (!value.is_object()) fail(path, "is not an object");
  for (const auto& [name, item] : value.items()) read(item, path + "." + name, out[name]);
}

}  // namespace json_reading

/// Throws Error, with `hint`, if the text is no such record. `name` is the text's name in messages.
template <class Record>
Record record_from_json(const std::string& text, const std::string& name, const char* hint) {
  using namespace json_reading;
  try {
    Record record;
    read(json::parse(text), "", record);
    return record;
  } catch (const json::parse_error& error) {
    throw Error(fmt::format("{}: not JSON, at byte {}", name, error.byte), hint);
  } catch (const Mismatch& found) {
    throw Error(fmt::format("{}: {} {}", name, found.path.empty() ? "the top level" : found.path,
                            found.why),
                hint);
  }
}

}  // namespace opgrade
