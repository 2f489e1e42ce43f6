/// SARIF 2.1.0, for code scanning: compiler errors and findings at the student's lines.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// A result for each error and finding that has a place in a file of the submission, at most
/// kMaxResults. All other problems are notifications of the run, because a result needs a place. A
/// grader fault makes `executionSuccessful` false.
std::string sarif_report(const Grade& grade, Audience audience);

/// The number of results of a run that GitHub keeps.
inline constexpr std::size_t kMaxResults = 5000;

}  // namespace opgrade::report
