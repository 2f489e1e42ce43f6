/// Reasons why a right case has no time.
#pragma once

#include "grader/grading/cases/verdict/judged_case.hpp"

namespace opgrade {

/// For a right case with an untimed call. The reason is throttling that spoiled every sample of one
/// computation, or an output that changed after its call was done.
CaseVerdict not_credible(const CaseReport& report);

}  // namespace opgrade
