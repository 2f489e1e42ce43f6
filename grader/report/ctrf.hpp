/// Common Test Report Format, for tools that compare test runs.
#pragma once

#include <string>

#include "grader/report/view.hpp"

namespace opgrade::report {

/// One test for each case, and "build" where a build did not succeed. `passed` and `failed` are
/// about the submission. A case that was not run is `skipped`, one that needs a GPU `pending`. A
/// grader fault or advice is `other`. Points stand under `extra`.
std::string ctrf_report(const Grade& grade, Audience audience);

}  // namespace opgrade::report
