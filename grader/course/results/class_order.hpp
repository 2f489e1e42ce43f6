/// The order in which the submissions of a class begin.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "grader/base/core/case_time.hpp"
#include "grader/base/core/grade.hpp"

namespace opgrade {

/// Seconds that the builds and all calls took, without the waits for a turn. The time of the whole
/// grading would depend on the submissions that were graded at the same time.
inline double work_seconds(const Grade& grade) {
  double seconds = 0;
  for (const StageReport& stage : grade.stages) {
    seconds += stage.build.elapsed_s;
    for (const CaseReport& c : stage.cases)
      seconds += std::chrono::duration<double>(time_of_calls(c)).count();
  }
  return seconds;
}

/// Sorts `open`: first the submissions of which nothing is known, in their order, then the others
/// from the longest to the shortest. So a class ends with short ones, and does not wait for a
/// single submission at its end. `seconds` are those of an earlier grading; the values in `open`
/// are indices of it.
inline std::vector<std::size_t> longest_first(std::vector<std::size_t> open,
                                              const std::vector<std::optional<double>>& seconds) {
  std::ranges::stable_sort(open, std::ranges::greater(), [&](std::size_t i) {
    return seconds[i].value_or(std::numeric_limits<double>::infinity());
  });
  return open;
}

}  // namespace opgrade
