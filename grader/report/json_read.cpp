#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "grader/core/error.hpp"
#include "grader/report/json.hpp"
#include "grader/report/profile_fields.hpp"

namespace opgrade::report {
namespace {

using json = nlohmann::ordered_json;  // sizes keep their order

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw Error(fmt::format("report: {} {}", path.empty() ? "the top level" : path, why),
              "The file is damaged or not an opgrade report; remove it and grade again.");
}

void read(const json& value, const std::string& path, std::string& out) {
  if (!value.is_string()) fail(path, "is not a text");
  out = value.get<std::string>();
}

void read(const json& value, const std::string& path, bool& out) {
  if (!value.is_boolean()) fail(path, "is not true or false");
  out = value.get<bool>();
}

void read(const json& value, const std::string& path, double& out) {
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

void read(const json& value, const std::string& path, std::int64_t& out) {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (!value.is_number_integer()) fail(path, "is not a whole number");
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > kMax) fail(path, "is too large");
  out = value.get<std::int64_t>();
}

void read(const json& value, const std::string& path, int& out) {
  std::int64_t wide = 0;
  read(value, path, wide);
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max())
    fail(path, "is too large");
  out = static_cast<int>(wide);
}

/// As text: a number of 64 bits loses some of them in JavaScript.
void read(const json& value, const std::string& path, std::uint64_t& out) {
  std::string text;
  read(value, path, text);
  const char* const last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, out);
  if (error != std::errc() || end != last) fail(path, "is not a whole number as text");
}

void read(const json& value, const std::string& path, std::chrono::nanoseconds& out) {
  std::int64_t count = 0;
  read(value, path, count);
  out = std::chrono::nanoseconds(count);
}

void read(const json& value, const std::string& path, int (&out)[3]) {
  if (!value.is_array() || value.size() != 3) fail(path, "is not three numbers");
  for (std::size_t i = 0; i < 3; ++i) read(value[i], path, out[i]);
}

void read(const json& value, const std::string& path, Coordinates& out) {
  if (!value.is_object()) fail(path, "is not an object");
  for (const auto& [name, item] : value.items())
    read(item, path + "." + name, out.emplace_back(Coordinate{name}).value);
}

class Reader;
template <class Record>
requires requires(Reader& reader, Record& record) { fields(reader, record); }
void read(const json& value, const std::string& path, Record& out);
template <class T>
void read(const json& value, const std::string& path, std::optional<T>& out);
template <class T>
void read(const json& value, const std::string& path, std::vector<T>& out);

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
class Reader {
 public:
  Reader(const json& object, std::string path) : object_(object), path_(std::move(path)) {
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

  void rest(Coordinates& coordinates) { rest_ = &coordinates; }

  /// In an empty record, `written` tells whether every report has the object.
  void object(const char* key, bool written, const char*, auto visit) {
    if (!written && !object_.contains(key)) return;
    Reader inner(at(key), path_of(key));
    visit(inner);
  }

  /// After the visit, which names the fields that are not the task's.
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
requires requires(Reader& reader, Record& record) { fields(reader, record); }
void read(const json& value, const std::string& path, Record& out) {
  Reader reader(value, path);
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

}  // namespace

Grade grade_from_json(const std::string& text) {
  json document;
  try {
    document = json::parse(text);
  } catch (const json::parse_error& error) {
    throw Error(fmt::format("report: not JSON, at byte {}", error.byte),
                "The file is damaged or not an opgrade report; remove it and grade again.");
  }
  JsonReport report;
  read(document, "", report);
  return std::move(report.grade);
}

}  // namespace opgrade::report
