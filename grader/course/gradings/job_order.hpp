/// Decides in which order the gradings of an assignment begin.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradings/executor.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::course {

/// Seconds of work that an earlier grading predicts for a job; nullopt if there is none.
using EarlierSeconds = std::function<std::optional<double>(const GradingJob&)>;

/// Orders the jobs in rounds, each with at most one grading of a submission, so that an interrupt
/// leaves the fewest submissions without points. Within a round the order is that of
/// longest_first().
std::vector<GradingJob> in_turns(const std::vector<GradingJob>& jobs,
                                 const EarlierSeconds& seconds);

/// Predicts by the owner's last grading in the assignment, whichever submission it was for.
EarlierSeconds earlier_seconds(const CourseFolder& folder, const Store& store);

}  // namespace opgrade::course
