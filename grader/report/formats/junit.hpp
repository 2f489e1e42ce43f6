/// JUnit XML in the testmo dialect, for CI systems that show test results.
#pragma once

#include <string>

#include "grader/report/fields/view.hpp"

namespace opgrade::report {

/// testsuites > one testsuite per stage > one testcase per TestResult (test_results.hpp). A fault
/// of the submission is a `failure`, a fault of the grader an `error`, and a test that was not run
/// is `skipped`. The test of the whole submission, if there is one, has a suite of its own. Times
/// are seconds.
std::string junit_report(const Grade& grade, Audience audience);

}  // namespace opgrade::report
