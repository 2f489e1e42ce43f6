/// Advice for outputs that are wrong because of rounding only.
#pragma once

#include <fmt/format.h>

#include <string>

namespace opgrade {

/// The next step for a student. `tolerance`: the config's.
inline std::string rounding_advice(double tolerance) {
  constexpr double kHalf = 5e-4;  // configs that allow half have 2e-3, those for float 1e-6
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
