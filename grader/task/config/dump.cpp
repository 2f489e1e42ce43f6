#include <fmt/format.h>

#include "grader/task/config/fields.hpp"
#include "grader/task/config/load.hpp"
#include "grader/task/config/time_bound.hpp"

namespace opgrade {
namespace {

/// The shortest form that reads back to the same value; YAML::Emitter writes all 17 digits.
std::string number(double value) { return fmt::format("{}", value); }

std::string duration(std::chrono::milliseconds time) {
  return time.count() % 1000 == 0 ? fmt::format("{} s", time.count() / 1000)
                                  : fmt::format("{} ms", time.count());
}

std::string bytes(std::int64_t count) {
  for (const auto& [unit, size] : {std::pair{"GiB", 1 << 30}, {"MiB", 1 << 20}}) {
    if (count % size == 0) return fmt::format("{} {}", count / size, unit);
  }
  return fmt::format("{} KiB", number(static_cast<double>(count) / 1024));
}

/// Records that are written on one line.
template <class T>
inline constexpr bool kInLine =
    std::is_same_v<T, ModelConfig> || std::is_same_v<T, CaseConfig> ||
    std::is_same_v<T, RandomShapesConfig> || std::is_same_v<T, RandomBatchesConfig> ||
    std::is_same_v<T, CaseGroupConfig> || std::is_same_v<T, ConstructConfig> ||
    std::is_same_v<T, CountRule> || std::is_same_v<T, OpTimeRule> ||
    std::is_same_v<T, OpTimeRule::Late> || std::is_same_v<T, OpenItemConfig> ||
    std::is_same_v<T, RankingConfig::Step>;

/// Visits the fields of one record. Writes numbers by number(), because Emitter's own have all 17
/// digits.
class FieldWriter {
 public:
  explicit FieldWriter(YAML::Emitter& out) : out_(out) {}

  template <class T, class... Limits>
  void operator()(const char* key, const T& value, const Doc&, Limits...) {
    if constexpr (requires { value.has_value(); }) {
      if (value) (*this)(key, *value, "");
    } else {
      out_ << YAML::Key << key << YAML::Value;
      write(value);
    }
  }

  template <class T, class... Limits>
  void required(const char* key, const T& value, const Doc& doc, Limits... limits) {
    (*this)(key, value, doc, limits...);
  }

  template <class... Limits>
  void rare(bool written, const char* key, const auto& value, const Doc& doc, Limits... limits) {
    if (written) (*this)(key, value, doc, limits...);
  }

  void word(const char* key, const std::string& value, std::span<const std::string_view>,
            const Doc& doc) {
    (*this)(key, value, doc);
  }

  void merged(const char*, const auto&, const Doc&) {}

  void time_ms(const char* key, double value, const Doc& doc) {
    (*this)(key, TimeBound{value}, doc);
  }

  void object(bool written, const char* key, const Doc&, auto visit) {
    if (!written) return;
    out_ << YAML::Key << key << YAML::Value;
    if (key == std::string_view("bonus")) out_ << YAML::Flow;
    out_ << YAML::BeginMap;
    visit(*this);
    out_ << YAML::EndMap;
  }

  void choice(const auto&, const char*, bool first_applies, auto first, auto second) {
    first_applies ? first(*this) : second(*this);
  }

  template <class T>
  void write(const T& value) {
    if constexpr (requires { fields(*this, value); }) {
      if (kInLine<T>) out_ << YAML::Flow;
      out_ << YAML::BeginMap;
      fields(*this, value);
      out_ << YAML::EndMap;
    } else if constexpr (std::is_enum_v<T>) {
      out_ << std::string(enum_names(value).names[static_cast<std::size_t>(value)]);
    } else {
      out_ << value;
    }
  }

 private:
  void write(double value) { out_ << number(value); }
  void write(std::chrono::milliseconds value) { out_ << duration(value); }
  void write(std::int64_t value) { out_ << bytes(value); }
  void write(const TimeBound& value) { out_ << bound_text(value); }
  void write(const SourceText& value) { out_ << YAML::DoubleQuoted << value.bytes; }
  void write(const std::vector<std::string>& value) { out_ << YAML::Flow << value; }

  void write(const Coordinates& sizes) {
    out_ << YAML::Flow << YAML::BeginMap;
    for (const auto& [name, value] : sizes) out_ << YAML::Key << name << YAML::Value << value;
    out_ << YAML::EndMap;
  }

  template <class T>
  void write(const std::vector<T>& items) {
    out_ << YAML::BeginSeq;
    for (const auto& item : items) write(item);
    out_ << YAML::EndSeq;
  }

  void write(const std::map<std::string, ModelConfig>& models) {
    out_ << YAML::BeginMap;
    for (const auto& [name, model] : models) {
      out_ << YAML::Key << name << YAML::Value;
      write(model);
    }
    out_ << YAML::EndMap;
  }

  YAML::Emitter& out_;
};

}  // namespace

std::string dump_config(const Config& config) {
  YAML::Emitter out;
  FieldWriter(out).write(config);
  return std::string(out.c_str()) + "\n";
}

}  // namespace opgrade
