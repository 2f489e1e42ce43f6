/// The counts of two versions of a submission side by side.
#pragma once

#include <string>

#include "grader/core/grade.hpp"
#include "grader/report/text.hpp"
#include "grader/report/view.hpp"

namespace opgrade::report {

/// Sums over all kernels of the first profiled case; a sentence where one of them has no counts.
std::string profile_comparison(const Grade& before, const Grade& after, Audience audience,
                               const TextStyle& style);

}  // namespace opgrade::report
