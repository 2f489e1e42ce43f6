/// What a lecturer does about a sample that ended otherwise than its folder says.
#pragma once

#include <string>

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// The folder of right submissions that a rule on constructs or counts costs points.
inline constexpr std::string_view kFewerPoints = "fewer_points";

/// All names that a folder in submissions/ can have: "passed, wrong_output, ..., fewer_points".
std::string sample_folders();

/// Whether a submission without mistakes has all points that are not open.
bool has_all_points(const Grade& grade);

/// Whether a submission with this grade is one that should end so. Without points.
bool ends_as(const Grade& grade, Outcome expected, const Config& config);

/// "; speed: 15.6 of 20 points" of what costs a submission without mistakes points; else empty.
std::string lost_points_in(const Grade& grade);

/// The folder of submissions/ into which a sample with this grade belongs; empty if its outcome
/// says nothing about it.
std::string folder_for(const Grade& grade);

/// `folder`: where it lies. Not for one that ended as expected.
std::string sample_advice(const Grade& grade, const std::string& folder);

/// The largest error of an output that is wrong, as a multiple of what is allowed, if it is so
/// small that a right submission may have it; else 0.
double narrow_by(const Grade& grade);

/// " but for a warning (data_race in line 3): ..." of a submission that passed; else empty.
std::string warning_in(const Grade& grade);

}  // namespace opgrade
