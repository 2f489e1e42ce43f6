/// PrairieLearn's results.json.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// `score` is the share of the points that were decided: open points, those of staff among them,
/// are PrairieLearn's manual points. A grader fault, a refused submission, and one of which nothing
/// was decided are `gradable: false`, which costs the student no attempt. Each test has points
/// and max_points, since one without them disables the table. At most kMaxPrairieLearn bytes:
/// outputs are left out first, then the tests.
std::string prairielearn_results(const Grade& grade, Audience audience);

inline constexpr std::size_t kMaxPrairieLearn = 1'000'000;

}  // namespace opgrade::report
