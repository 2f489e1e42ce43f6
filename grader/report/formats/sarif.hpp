/// SARIF 2.1.0, for code scanning: compiler errors and findings at the student's lines.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// A result for each error and finding that lies in a file of the submission, at most kMaxResults.
/// Everything else that went wrong is a notification of the run, since a result needs a place. A
/// grader fault makes `executionSuccessful` false.
std::string sarif_report(const Grade& grade, Audience audience);

/// GitHub keeps so many results of a run.
inline constexpr std::size_t kMaxResults = 5000;

}  // namespace opgrade::report
