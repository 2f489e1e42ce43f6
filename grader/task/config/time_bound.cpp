#include "grader/task/config/time_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "grader/base/files/yaml_reader.hpp"

namespace opgrade {
namespace {

using Unit = TimeBound::Unit;

struct UnitName {
  std::string_view name;
  Unit unit;
  double factor;
};

/// The first name of a unit is the one that bound_text() writes.
constexpr std::array kUnits{
    UnitName{"x reference", Unit::reference, 1}, UnitName{"x serial", Unit::serial, 1},
    UnitName{"GB/s", Unit::gbyte_s, 1},          UnitName{"TB/s", Unit::gbyte_s, 1000},
    UnitName{"GFLOP/s", Unit::gflop_s, 1},       UnitName{"TFLOP/s", Unit::gflop_s, 1000},
    UnitName{"of roofline", Unit::roofline, 1},
};

}  // namespace

std::optional<TimeBound> parse_time_bound(std::string_view text) {
  if (text == "never") return kNever;
  for (const UnitName& known : kUnits) {
    if (!text.ends_with(known.name)) continue;
    std::string_view number = text.substr(0, text.size() - known.name.size());
    if (!number.ends_with(' ')) continue;
    number.remove_suffix(1);
    const auto value = parse_number(std::string(number));
    if (!value || *value <= 0) return std::nullopt;
    return TimeBound{*value * known.factor, known.unit};
  }
  const auto ms = parse_duration_ms(std::string(text));
  if (!ms || *ms <= 0) return std::nullopt;
  return TimeBound{*ms};
}

std::string unit_text(Unit unit) {
  const auto* const known = std::ranges::find(kUnits, unit, &UnitName::unit);
  return " " + std::string(known != kUnits.end() ? known->name : "ms");
}

std::string bound_text(const TimeBound& bound) {
  return bound == kNever ? "never" : fmt::format("{}{}", bound.value, unit_text(bound.unit));
}

}  // namespace opgrade
