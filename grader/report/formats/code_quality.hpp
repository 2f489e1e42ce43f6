/// A Code Quality report of GitLab CI: mistakes at their lines in a merge request.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// A JSON array: compiler errors and findings with a place, then the other problems. GitLab ignores
/// an entry without a path and all but the first of those with one fingerprint, so a problem
/// without a place names a file of the submission, and fingerprints are counted.
std::string code_quality_report(const Grade& grade, Audience audience);

}  // namespace opgrade::report
