// Holds the tables of configs/README.md to the keys of configs. UPDATE_GOLDEN=1 writes them anew.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "grader/config/fields.hpp"
#include "grader/config/load.hpp"
#include "grader/config/task_fields.hpp"
#include "tests/support/golden.hpp"

namespace opgrade {
namespace {

/// Visits the fields of one record into the rows of a table.
class Rows {
 public:
  /// `defaults` is a record without any key, as it is dumped.
  Rows(YAML::Node defaults, bool with_parts, std::string place = "")
      : defaults_(std::move(defaults)), with_parts_(with_parts), place_(std::move(place)) {}

  template <class T, class... Limits>
  void operator()(const char* key, const T& value, const Doc& doc, Limits...) {
    constexpr bool kMapping = requires(Rows & io) { fields(io, value); }
    &&!std::is_same_v<T, RandomShapesConfig> && !std::is_same_v<T, RandomBatchesConfig> &&
        !std::is_same_v<T, FixedShapesConfig> && !std::is_same_v<T, LimitConfig>;
    if constexpr (kMapping) {
      Rows inner(defaults_[key], with_parts_, place_ + key + ".");
      fields(inner, value);
      text += inner.text;
    } else {
      constexpr bool kWord = std::is_same_v<T, std::string> || std::is_enum_v<T>;
      const std::string usual = std::is_same_v<T, LimitConfig>
                                    ? in_a_line(defaults_[key])
                                    : written(defaults_[key], kWord ? "`" : "");
      row(key, *doc.usual != '\0' ? doc.usual : usual, parts(value) + doc.text);
    }
  }

  template <class T, class... Limits>
  void required(const char* key, const T& value, const Doc& doc, Limits...) {
    const char* const second = *doc.usual != '\0' ? doc.usual : "or";
    row(key, is_second_ ? second : "required", parts(value) + doc.text);
  }

  void rare(bool, const char* key, const auto& value, const Doc& doc) { (*this)(key, value, doc); }

  void word(const char* key, const std::string& value, std::span<const std::string_view>,
            const Doc& doc) {
    (*this)(key, value, doc);
  }

  void merged(const char* key, const auto&, const Doc& doc) { row(key, doc.usual, doc.text); }

  void time_ms(const char* key, double, const Doc& doc) { row(key, "required", doc.text); }

  void object(bool, const char* key, const Doc& doc, auto visit) {
    Rows inner(defaults_[key] ? defaults_[key] : YAML::Node(), with_parts_, place_ + key + ".");
    visit(inner);
    if (!defaults_[key]) row(key, "none", doc.text);
    text += inner.text;
  }

  void choice(const auto&, const char*, bool, auto first, auto second) {
    first(*this);
    is_second_ = true;
    second(*this);
    is_second_ = false;
  }

  std::string text;
  std::vector<std::string> keys;

 private:
  void row(const char* key, const std::string& usual, const std::string& meaning) {
    keys.emplace_back(key);
    text += fmt::format("| `{}{}` | {} | {} |\n", place_, key, usual, meaning);
  }

  /// "list of `{name, points}`; "
  template <class T>
  std::string parts(const T& value) const {
    if constexpr (requires(Rows & io) { fields(io, value); }) {
      Rows inner(YAML::Node(), false);
      fields(inner, value);
      return with_parts_ ? fmt::format("`{{{}}}`; ", fmt::join(inner.keys, ", ")) : "";
    } else if constexpr (requires(Rows & io) { fields(io, value.front()); }) {
      return with_parts_ ? "list of " + parts(typename T::value_type{}) : "";
    } else {
      return "";
    }
  }

  static std::string written(const YAML::Node& value, const std::string& quote) {
    if (value && value.IsScalar()) return quote + value.Scalar() + quote;
    if (!value || !value.IsSequence() || value.size() == 0) return "none";
    return in_a_line(value);
  }

  static std::string in_a_line(YAML::Node value) {
    value.SetStyle(YAML::EmitterStyle::Flow);
    YAML::Emitter out;
    out << value;
    return fmt::format("`{}`", out.c_str());
  }

  YAML::Node defaults_;
  bool with_parts_;
  std::string place_;  ///< of a mapping in the mapping: "timing."
  bool is_second_ = false;
};

template <class Record>
std::string table(const YAML::Node& defaults, bool with_parts) {
  Rows rows(defaults, with_parts);
  const Record record;
  fields(rows, record);
  return "| key | default | meaning |\n|--|--|--|\n" + rows.text;
}

/// `text` with `table` between the marks of that name.
std::string with_table(const std::string& text, const std::string& name, const std::string& table) {
  const std::string mark = "<!-- " + name + " -->\n", end = "<!-- /" + name + " -->\n";
  const auto from = text.find(mark), to = text.find(end, from);
  EXPECT_NE(to, text.npos) << "the marks of " << name;
  if (to == text.npos) return text;
  return text.substr(0, from + mark.size()) + table + text.substr(to);
}

/// The keys of a task, with the defaults of an empty record.
class TaskRows {
 public:
  std::string text = "| key | default | meaning |\n|--|--|--|\n";

  template <class T>
  void operator()(const char* key, const T& value, const Doc& doc, Range = {}) {
    std::string usual = doc.usual;
    if constexpr (std::is_enum_v<T>) {
      if (usual.empty())
        usual = fmt::format("`{}`", enum_names(value).names[static_cast<std::size_t>(value)]);
    } else if constexpr (std::is_same_v<T, bool>) {
      if (usual.empty()) usual = fmt::format("`{}`", value);
    } else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::string>) {
      if (usual.empty()) usual = fmt::format("{}", value);
    }
    row(key, usual, doc);
  }
  void required(const char* key, const auto&, const Doc& doc, Range = {}) {
    row(key, "required", doc);
  }
  void named(const char* key, const auto&, const Doc& doc) { row(key, "required", doc); }
  void texts(const char* key, const auto&, const Doc& doc) { row(key, doc.usual, doc); }
  void word(const char* key, bool second, std::span<const std::string_view> names, const Doc& doc) {
    row(key, fmt::format("`{}`", names[second ? 1 : 0]), doc);
  }

 private:
  void row(const char* key, const std::string& usual, const Doc& doc) {
    text += fmt::format("| `{}` | {} | {} |\n", key, usual, doc.text);
  }
};

template <class Record>
std::string task_table() {
  TaskRows rows;
  const Record record;
  fields(rows, record);
  return rows.text;
}

TEST(TaskReference, HasTheKeysOfTheFields) {
  const std::filesystem::path file = OPGRADE_SOURCE_DIR "/docs/new-task.md";
  std::string text = test::read_text(file);
  text = with_table(text, "task", task_table<TaskDescription>());
  text = with_table(text, "size", task_table<SizeDescription>());
  text = with_table(text, "buffer", task_table<BufferDescription>());
  test::expect_golden(file, text);
}

TEST(ConfigReference, HasTheKeysOfTheFields) {
  Config config;
  config.stages.emplace_back();
  config.ranking.emplace();
  const YAML::Node defaults = YAML::Load(dump_config(config));
  const std::filesystem::path file = OPGRADE_SOURCE_DIR "/configs/README.md";
  std::string text = test::read_text(file);
  text = with_table(text, "config", table<Config>(defaults, false));
  text = with_table(text, "stage", table<StageConfig>(defaults["stages"][0], true));
  text = with_table(text, "ranking", table<RankingConfig>(defaults["ranking"], true));
  std::string counts = "| count | ideal | meaning |\n|--|--|--|\n";
  for (const CountName& count : count_names())
    counts += fmt::format("| `{}` | {} | {} |\n", count.name, count.ideal != nullptr ? "yes" : "no",
                          count.meaning);
  text = with_table(text, "counts", counts);
  text = with_table(text, "count rule", table<CountRule>(YAML::Node(), true));
  test::expect_golden(file, text);
}

}  // namespace
}  // namespace opgrade
