/// Points of cases that count together, or after others.
#pragma once

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Adds each group's points to its stage, and withholds points if the group that they require is
/// not right. They are open if that is not decided. Cases that were not chosen to run do not count:
/// a group has the share of its points that its chosen cases have of all. All stages of `grade`
/// must have their cases' points.
void score_groups(const Config& config, Grade& grade);

}  // namespace opgrade
