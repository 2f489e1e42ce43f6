/// Advice for a lecturer about a sample whose outcome differs from its folder's name.
#pragma once

#include <string>

#include "grader/base/core/grade.hpp"
#include "grader/task/config/config.hpp"

namespace opgrade {

/// The folder of right submissions to which a rule on constructs, counts or Op Time gives fewer
/// points.
inline constexpr std::string_view kFewerPoints = "fewer_points";

/// All names that a folder in submissions/ can have: "passed, wrong_output, ..., fewer_points".
std::string sample_folders();

/// True if a submission without mistakes has all points that are not open.
bool has_all_points(const Grade& grade);

/// True if a submission with this grade has the expected outcome. Points are not compared.
bool ends_as(const Grade& grade, Outcome expected, const Config& config);

/// What costs a submission without mistakes points: "; speed: 15.6 of 20 points"; else empty.
std::string lost_points_in(const Grade& grade);

/// The folder of submissions/ to which a sample with this grade belongs; empty if its outcome says
/// nothing about that.
std::string folder_for(const Grade& grade);

/// Advice for a sample that did not end as expected. `folder`: its folder in submissions/.
std::string sample_advice(const Grade& grade, const std::string& folder);

/// The largest error of a wrong output, as a multiple of the allowed error, if it is so small that
/// a right submission may have it; else 0.
double narrow_by(const Grade& grade);

/// The warning of a submission that passed: " but for a warning (data_race in line 3): ..."; else
/// empty.
std::string warning_in(const Grade& grade);

}  // namespace opgrade
