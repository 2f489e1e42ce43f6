/// PrairieLearn's results.json.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// `score` is the share of the points that were decided: open points, including staff's, are
/// PrairieLearn's manual points. `gradable: false`, which costs the student no attempt, stands for
/// a grader fault, a refused submission and a submission of which nothing was decided. Each test
/// has points and max_points, because one test without them disables the table. The result has at
/// most kMaxPrairieLearn bytes: outputs are left out first, then the tests.
std::string prairielearn_results(const Grade& grade, Audience audience);

inline constexpr std::size_t kMaxPrairieLearn = 1'000'000;

}  // namespace opgrade::report
