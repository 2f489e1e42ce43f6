/// The text of an Op Time bound in a config: "70 ms", "3 x reference", "300 GB/s", "2 TFLOP/s",
/// "never".
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// nullopt for any other text, and for a value that is not above 0.
std::optional<TimeBound> parse_time_bound(std::string_view text);

/// " ms", " x reference", " x serial", " GB/s", " GFLOP/s" or " of
/// roofline".
std::string unit_text(TimeBound::Unit unit);

std::string bound_text(const TimeBound& bound);

}  // namespace opgrade
