/// The longest time that the timed calls of a layer may take together.
#pragma once

#include <chrono>

#include "grader/task/config/config.hpp"

namespace opgrade {

/// A quarter of the wall time of a run, because the untimed work has to fit into the run as well.
inline std::chrono::nanoseconds timing_budget(const Config& config) {
  return config.run_limits.wall / 4;
}

}  // namespace opgrade
