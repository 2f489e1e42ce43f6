/// What to do about outputs that are wrong by rounding alone.
#pragma once

#include <string>

namespace opgrade {

/// The next step, where the config's tolerance is this.
std::string rounding_advice(double tolerance);

}  // namespace opgrade
