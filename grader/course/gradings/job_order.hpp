/// In which order the gradings of an assignment begin.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "grader/course/folder/course_folder.hpp"
#include "grader/course/gradings/executor.hpp"
#include "grader/course/store/store.hpp"

namespace opgrade::course {

/// Seconds of a job's work, as an earlier grading tells; nothing if there is none.
using EarlierSeconds = std::function<std::optional<double>(const GradingJob&)>;

/// In turns, each of which has one grading of a submission: an interrupt then leaves the fewest
/// without points. Within a turn as longest_first().
std::vector<GradingJob> in_turns(const std::vector<GradingJob>& jobs,
                                 const EarlierSeconds& seconds);

/// By the last grading that an owner had in the assignment, of whatever submission.
EarlierSeconds earlier_seconds(const CourseFolder& folder, const Store& store);

}  // namespace opgrade::course
