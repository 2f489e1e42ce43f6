/// What every alternative of a reason has.
#pragma once

#include <string_view>
#include <vector>

namespace opgrade {

struct Reason;

}  // namespace opgrade

/// Declares an alternative's name in report.json, and its comparison.
#define OPGRADE_REASON(Type, name)              \
  static constexpr std::string_view id = #name; \
  bool operator==(const Type&) const = default
