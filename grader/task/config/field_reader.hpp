/// Reads a record's values from one YAML mapping, by the record's fields.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "grader/base/files/yaml_reader.hpp"
#include "grader/task/config/fields.hpp"

namespace opgrade {

/// "median, fastest or mean"
inline std::string in_words(std::span<const std::string_view> names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " or ";
    text += names[i].find(' ') == names[i].npos ? names[i] : fmt::format("'{}'", names[i]);
  }
  return text;
}

/// Visits the fields of one mapping. `Owner` reads the values that need more than the mapping:
/// records with their checks, models, bounds, and the sizes that the task names.
template <class Owner>
class FieldReader {
 public:
  FieldReader(Owner& all, ProblemList& problems, MapReader& map, std::string place = "")
      : all_(all), problems_(problems), map_(map), place_(std::move(place)) {}

  template <class T>
  void operator()(const char* key, T& value, const Doc&, Range range = {}) {
    if constexpr (requires { fields(*this, value); }) {
      const std::string what = fmt::format("'{}{}'", place_, key);
      if (map_.use_key(key)) all_.read(map_.node(key), what, value);
    } else if constexpr (requires { value.has_value(); }) {
      if (map_.use_key(key)) (*this)(key, all_.start(value), "", range);
    } else if constexpr (std::is_same_v<T, int>) {
      map_.read(key, value, static_cast<int>(range.minimum), static_cast<int>(range.maximum));
    } else if constexpr (std::is_same_v<T, double>) {
      map_.read(key, value, range.minimum, range.maximum);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      map_.read_bytes(key, value);
    } else if constexpr (std::is_same_v<T, SourceText>) {
      map_.read_lines(key, value.bytes);
    } else if constexpr (std::is_same_v<T, TimeBound>) {
      all_.read_bound(map_, key, value);
    } else if constexpr (std::is_same_v<T, Coordinates>) {
      if (map_.use_key(key)) value = all_.read_sizes(map_.node(key), fmt::format("'{}'", key));
    } else if constexpr (std::is_enum_v<T>) {
      const auto names = enum_names(value).names;
      std::string name(names[static_cast<std::size_t>(value)]);
      word(key, name, names, "");
      if (const auto found = std::ranges::find(names, name); found != names.end())
        value = static_cast<T>(found - names.begin());
    } else {
      map_.read(key, value);
    }
  }

  template <class Record>
  requires requires(FieldReader& io, Record& record) { fields(io, record); }
  void operator()(const char* key, std::vector<Record>& value, const Doc&) {
    map_.each(key, [&](const YAML::Node& entry) {
      Record item;
      all_.read(entry, item_name(item), item);
      value.push_back(std::move(item));
    });
  }

  void operator()(const char* key, std::vector<Coordinates>& value, const Doc&) {
    map_.each(key, [&](const YAML::Node& entry) {
      value.push_back(all_.read_sizes(entry, "a fixed shape"));
    });
  }

  void operator()(const char* key, std::map<std::string, ModelConfig>& models, const Doc&) {
    all_.read_models(map_.node(key), models);
  }

  template <class T, class... Limits>
  void required(const char* key, T& value, const Doc& doc, Limits... limits) {
    map_.require(key);
    (*this)(key, value, doc, limits...);
  }

  template <class... Limits>
  void rare(bool, const char* key, auto& value, const Doc& doc, Limits... limits) {
    if (map_.use_key(key)) (*this)(key, value, doc, limits...);
  }

  void word(const char* key, std::string& value, std::span<const std::string_view> names,
            const Doc&) {
    map_.read(key, value);
    if (std::ranges::find(names, value) == names.end())
      problems_.add(map_.node(key), "'{}' must be {}, not '{}'", key, in_words(names), value);
  }

  void merged(const char* key, const auto&, const Doc&) { (void)map_.use_key(key); }

  void time_ms(const char* key, double& value, const Doc&) {
    TimeBound bound;
    map_.require(key);
    all_.read_bound(map_, key, bound);
    if (bound.unit != TimeBound::Unit::ms || bound == kNever)
      problems_.add(map_.node(key), "'{}' must be a time", key);
    value = bound.value;
  }

  void object(bool, const char* key, const Doc&, auto visit) {
    if (!map_.use_key(key)) return;
    MapReader map(map_.node(key), fmt::format("'{}'", key), problems_);
    FieldReader inner(all_, problems_, map, fmt::format("{}: ", key));
    visit(inner);
  }

  void choice(const auto& record, const char* key, bool, auto first, auto second) {
    all_.uses_alternative_key(map_, record, key) ? second(*this) : first(*this);
  }

 protected:
  Owner& all_;
  ProblemList& problems_;
  MapReader& map_;

 private:
  std::string place_;  ///< prefix of keys in messages, for a mapping without a struct
};

}  // namespace opgrade
