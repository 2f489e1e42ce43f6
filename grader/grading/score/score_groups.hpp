/// Points of cases that count together, or after others.
#pragma once

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// Adds each group's points to its stage, and takes points where the group that it requires is not
/// right. Points stay open where that is not decided. Of cases that were not chosen to run nothing
/// is counted: a group has the share of its points that its chosen cases have of all. All stages of
/// `grade` have their cases' points.
void score_groups(const Config& config, Grade& grade);

}  // namespace opgrade
