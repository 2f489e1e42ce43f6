/// Records whose fields are listed once, for all code that reads, writes or documents them.
///
/// `void fields(auto& io, Is<Record> auto& record)` calls `io` with each field's key, value and
/// documentation; `io` decides whether it reads, writes or documents them. Boost.Describe knows
/// only the members' names: keys, documentation and limits would need a second list.
#pragma once

#include <concepts>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>

#include "grader/base/core/device.hpp"
#include "grader/base/core/statistics.hpp"

namespace opgrade {

/// A record to read into, or a const one to write.
template <class T, class Record>
concept Is = std::same_as<std::remove_const_t<T>, Record>;

struct Range {
  double minimum = 0;
  double maximum = std::numeric_limits<double>::max();
};

struct Doc {
  Doc(const char* description, const char* default_text = "")
      : text(description), usual(default_text) {}
  const char* text;
  const char* usual;  ///< the default in words, if its value says less
};

/// An enumeration in a file is a text, one of `names`, in the order of the values.
struct EnumNames {
  std::string_view what;  ///< in errors: "is not a device"
  std::span<const std::string_view> names;
};

constexpr EnumNames enum_names(Device) { return {"a device", kDeviceNames}; }
constexpr EnumNames enum_names(Statistic) { return {"a statistic", kStatisticNames}; }

}  // namespace opgrade
