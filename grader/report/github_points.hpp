/// The result in the form that GitHub's autograding reporters read.
#pragma once

#include <string>
#include <string_view>

#include "grader/report/view.hpp"

namespace opgrade::report {

/// Base64 of {version, status, max_score, tests: [{name, status, score, message, ...}]} in one
/// line, for an environment variable <ID>_RESULTS. Open points are in neither sum. `status` is
/// "error" after a grader fault, and then there are no tests.
std::string github_points(const Grade& grade, Audience audience);

/// RFC 4648, with padding.
std::string base64(std::string_view bytes);

}  // namespace opgrade::report
