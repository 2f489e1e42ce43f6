/// What to do about outputs that are wrong by rounding alone.
#pragma once

#include <fmt/format.h>

#include <string>

namespace opgrade {

/// The next step, where the config's tolerance is this.
inline std::string rounding_advice(double tolerance) {
  constexpr double kHalf = 5e-4;  // the terms that allow half have 2e-3, those for float 1e-6
  if (tolerance >= kHalf)
    return fmt::format(
        "The tolerance here, {:.2g}, allows half precision for the products: add them up in float",
        tolerance);
  return fmt::format(
      "The tolerance here, {:.2g}, is that of float. If your course allows half precision, check "
      "by its config (--config TERM); else multiply and add in float",
      tolerance);
}

}  // namespace opgrade
