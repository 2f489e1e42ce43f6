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

/// What grading took without waiting for a turn, in seconds: the builds and all calls. Time of the
/// whole grading depends on who was graded beside it.
inline double work_seconds(const Grade& grade) {
  double seconds = 0;
  for (const StageReport& stage : grade.stages) {
    seconds += stage.build.elapsed_s;
    for (const CaseReport& c : stage.cases)
      seconds += std::chrono::duration<double>(time_of_calls(c)).count();
  }
  return seconds;
}

/// `open`, those first of which nothing is known, in their order, then the longest: so a class ends
/// with short ones, and its last minutes do not belong to a single submission. `seconds`: by an
/// earlier grading, by the numbers in `open`.
inline std::vector<std::size_t> longest_first(std::vector<std::size_t> open,
                                              const std::vector<std::optional<double>>& seconds) {
  std::ranges::stable_sort(open, std::ranges::greater(), [&](std::size_t i) {
    return seconds[i].value_or(std::numeric_limits<double>::infinity());
  });
  return open;
}

}  // namespace opgrade
