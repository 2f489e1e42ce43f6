/// How long the timed calls of a layer may go on.
#pragma once

#include <chrono>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// A quarter of the wall time of a run, because what is not timed has to fit in as well.
inline std::chrono::nanoseconds timing_budget(const Config& config) {
  return config.run_limits.wall / 4;
}

}  // namespace opgrade
