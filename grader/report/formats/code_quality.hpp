/// A Code Quality report for GitLab CI, which shows mistakes at their lines in a merge request.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// A JSON array: compiler errors and findings with a place, then the other problems. GitLab ignores
/// an entry without a path, and all but the first of several entries with the same fingerprint. A
/// problem without a place therefore names a file of the submission, and fingerprints contain a
/// count.
std::string code_quality_report(const Grade& grade, Audience audience);

}  // namespace opgrade::report
